import type { Fragment } from '../../ground/database/sql.ts'

/**
 * What the statements need of a webhook's lane, which belongs to `queue`: the part that opens it for the new `webhook`, and of a webhook
 * `w` the columns `paused_reason`, `failing_since` and `is_restored`, and the last one alone.
 */
export type LaneOfWebhook = { opened: Fragment; columns: Fragment; isRestored: Fragment }
