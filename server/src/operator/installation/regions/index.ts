/**
 * Regions: the reply to a request with `all_regions` (4) waits until every other region has replayed the change.
 *
 * Owns: /regions; the queries about PostgreSQL's replication, the poller that runs them, and the checks of a server at the start.
 * No tables. Leaves the deadline of a request to `http`, and the position of a commit to `database`; PostgreSQL
 * itself copies changes to other regions.
 */
import type { Operation } from '../../../ground/http/chain/operation.ts'
import { listRegions } from './list-regions.ts'

export { checkServer } from './check-server.ts'
export { type Lag, readLags, readReplicas } from './region-store.ts'
export { createRegions } from './regions.ts'

export const regionsOperations = (dependencies: Parameters<typeof listRegions>[0]): Operation[] => [
  listRegions(dependencies),
]
