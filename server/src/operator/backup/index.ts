/**
 * Backups of the embedded database: a consistent copy of the data folder while the service runs, and a new data folder from
 * such a copy.
 *
 * Owns: the folder of a backup with its manifest, and the mark of a restore that is not finished. No tables, no routes.
 * Leaves to `database` the cluster and the process that serves it, to `installation` the stored secrets, to `copy` how
 * a restored database is detached from the one that was backed up. The operator's own PostgreSQL has its own means for all of this.
 */
export { type Backup, backUp } from './back-up.ts'
export { refuseIncomplete } from './data-dir.ts'
export { type Restored, restore } from './restore.ts'
