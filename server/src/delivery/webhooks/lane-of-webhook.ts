import type { Fragment } from '../../ground/database/sql.ts'

/**
 * What the statements need of a webhook's lane, which belongs to `queue`: the part that opens it for the new `webhook`, and of a webhook
 * `w` the columns `paused_reason` and `failing_since`, and whether it was restored from a backup and nobody has resumed it since.
 */
export type LaneOfWebhook = { opened: Fragment; columns: Fragment; isRestored: Fragment }
