import type { Static } from 'typebox'
import type { toLastError } from '../../delivery/statistics/index.ts'
import type { Queries } from '../../ground/database/database.ts'
import type { Limits } from '../../ground/http/chain/operation.ts'
import type { Notice } from './notice-record.ts'

/** `limit`: how many are found at most. `limits`: those of the pricing tier. */
type Asked = { queries: Queries; organizationId: string; now: number; limit: number; limits: Limits }

type Times = 'since' | 'failing_since' | 'expires_at'
/** As a finder gives it, which knows neither its kind nor whether there are more. */
export type Found = Omit<Static<typeof Notice>, 'kind' | 'has_more' | 'last_error' | Times> & {
  [Name in Times]?: Date
} & { last_error?: ReturnType<typeof toLastError> }

/** The newest first; of what expires the most urgent. */
export type Find = (asked: Asked) => Promise<Found[]>
