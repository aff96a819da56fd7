import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { answering } from '../../src/ground/database/embedded/await-server.ts'
import type { Binaries } from '../../src/ground/database/embedded/binaries.ts'
import { openCluster } from '../../src/ground/database/embedded/cluster.ts'
import type { EmbeddedPostgres } from '../../src/ground/database/embedded/index.ts'
import { spawnPostmaster, stopPostmaster } from '../../src/ground/database/embedded/postmaster.ts'
import { chooseSocketFolder } from '../../src/ground/database/embedded/socket-folder.ts'
import { connectionTo } from '../../src/ground/database/embedded/start-embedded-postgres.ts'

/** The oldest that Signet runs on. */
const oldestVersion = 15
const port = 5432
const startsWithinMs = 30_000

/** The folder of programs of the newest PostgreSQL that Debian's packages put on this machine. */
export function findStockPrograms(): string | undefined {
  const versionOf = (folder: string) => Number.parseInt(folder.slice('/usr/lib/postgresql/'.length), 10)
  return globSync('/usr/lib/postgresql/*/bin')
    .filter((folder) => versionOf(folder) >= oldestVersion && existsSync(join(folder, 'initdb')))
    .sort((one, other) => versionOf(other) - versionOf(one))[0]
}

/** `locale`: one that every version and every machine has. */
export const programsIn = (folder: string): Binaries => ({
  initdb: join(folder, 'initdb'),
  postgres: join(folder, 'postgres'),
  environment: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  locale: ['--encoding=UTF8', '--locale=C.UTF-8'],
})

/**
 * A cluster with that server's own defaults, whatever they are, but for one: with `fsync` the tests of deliveries take half as long
 * again (88 s in place of 58), and a power failure is none of what they try.
 */
export async function startStockPostgres(programs: string, folder: string): Promise<EmbeddedPostgres> {
  const cluster = await openCluster(folder, programsIn(programs))
  const address = { host: chooseSocketFolder(cluster.folder, port), port }
  const postmaster = spawnPostmaster(cluster, { address, settings: { fsync: 'off' }, diesWithParent: true })
  await answering(address, AbortSignal.timeout(startsWithinMs))
  return {
    connection: connectionTo(address),
    stop: () => stopPostmaster(postmaster, cluster),
  }
}
