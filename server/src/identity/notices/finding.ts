import type { Static } from 'typebox'
import type { Queries } from '../../ground/database/database.ts'
import type { Limits } from '../../ground/http/chain/operation.ts'
import type { Notice } from './notice-record.ts'

/** `limit`: how many are found at most. `limits`: those of the pricing tier. */
type Asked = { queries: Queries; organizationId: string; now: number; limit: number; limits: Limits }

type Times = 'since' | 'failing_since' | 'expires_at'
/** As a finder gives it, which knows neither its kind nor whether there are more. */
export type Found = Omit<Static<typeof Notice>, 'kind' | 'has_more' | Times> & { [Name in Times]?: Date }

/** The newest first. */
export type Find = (asked: Asked) => Promise<Found[]>
