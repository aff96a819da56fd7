/**
 * A logical copy of the whole database into another one, of whatever major version of PostgreSQL: all rows of one snapshot, checked on
 * both sides.
 *
 * Owns: no tables, no routes; its statements read every table of the source, and fill every table of the target. And how a database is
 * detached from the one that its data comes from, after a restore too.
 * Leaves to `database` the schema and the order of its tables, to `positions` what becomes of cursors, to `queue` how webhooks are
 * paused.
 */
export { copyBetween, type Target } from './copy-between.ts'
export { type Copied, copyDatabase, type Progress } from './copy-database.ts'
export { type Detached, detachFromSource } from './detach-from-source.ts'
