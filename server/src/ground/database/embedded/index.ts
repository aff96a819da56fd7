/**
 * The PostgreSQL that Signet brings along, for when no `DATABASE_URL` is set.
 *
 * Owns: the cluster in its folder (data, socket, log), the process that serves it, and the holds on the data folder: one keeps a
 * second Signet away, the other keeps the server while a command uses it. Leaves to `database` everything that is said over
 * a connection, and to `backup` the copy of a cluster.
 */
export { findPrograms } from './binaries.ts'
export { dataFolder, postgresFolder, removeAll } from './cluster.ts'
export { placeForCluster } from './foreign-cluster.ts'
export { holdDataFolder } from './hold-data-folder.ts'
export { reachServer } from './reach-server.ts'
export type { Owner } from './run-as.ts'
export { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts'
