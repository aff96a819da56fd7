/**
 * Regions: the answer to a request that asks for `all_regions` (4) waits until every other region has replayed what it
 * changed.
 *
 * Owns: what is read of PostgreSQL's replication, the one poller that reads it, and what is asked of a server at the start.
 * No routes, no tables. Leaves the deadline of a request to `http`, and to `database` the position of what was committed;
 * copying to other regions is PostgreSQL's own.
 */
export { checkServer } from './check-server.ts'
export { createRegions } from './regions.ts'
