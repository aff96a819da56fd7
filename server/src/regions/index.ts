/**
 * Regions: the reply to a request with `all_regions` (4) waits until every other region has replayed the change.
 *
 * Owns: the queries about PostgreSQL's replication, the poller that runs them, and the checks of a server at the start.
 * No routes, no tables. Leaves the deadline of a request to `http`, and the position of a commit to `database`; PostgreSQL
 * itself copies changes to other regions.
 */
export { checkServer } from './check-server.ts'
export { createRegions } from './regions.ts'
