import type { BareOrder, Sent } from '../programs/bare-sender.ts'
import type { Published } from '../programs/publisher.ts'
import type { QueueSettings } from './acceptor.ts'
import { nameOfSignet, processCounts } from './beside-embedded.ts'
import { installPeers } from './install-peers.ts'
import { type Installation, install, publish, type Stage, toOrder } from './installation.ts'
import { givenServer } from './options.ts'
import { openServer, type Postgres, startPostgres } from './postgres.ts'
import { startProgram } from './program.ts'
import { openReceivers } from './receivers.ts'
import { type Bench, inFlight, type Way, type Work } from './ways.ts'

type Installed = { installation: Installation; way: Way }

/**
 * Everybody in processes of their own: the bare loop, Signet and the queues, each with a database of its own on one server;
 * where that was given, Signet also on the embedded one. `paths` are those of the receiver that are wanted.
 */
export async function startWays(folder: string, cleanup: AsyncDisposableStack, paths: string[]): Promise<Bench> {
  installPeers()
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const publisher = await startProgram('programs/publisher.ts', {}, cleanup)
  const stage: Stage = { folder, cleanup, receivers, receiver, publisher }
  const server = await openServer(folder, cleanup)
  const servers = givenServer === undefined ? [server] : [server, await startPostgres(folder, cleanup)]
  const signets: Installed[] = []
  for (const count of processCounts)
    for (const postgres of servers) {
      const name = nameOfSignet(count, postgres !== server)
      signets.push(await startSignet(stage, name, postgres, count, paths))
    }
  const [bare, ...queues] = await startOthers(stage, server, (signets[0] as Installed).installation)
  return {
    receiver,
    publisher,
    servers: servers.map(({ description }) => description).join(' and '),
    ways: [bare as Way, ...signets.map(({ way }) => way), ...queues],
  }
}

async function startSignet(
  stage: Stage,
  name: string,
  postgres: Postgres,
  processCount: number,
  paths: string[],
): Promise<Installed> {
  const { url } = await postgres.create(`signet_${processCount}`)
  const installation = await install(stage, url, processCount, paths)
  const pids = installation.processes.map(({ pid }) => pid)
  return { installation, way: { name, pids, postgres, begin: (work) => publish(stage, installation, work) } }
}

/** The bare loop and the queues, with the organizations and webhooks of that Signet. */
async function startOthers(
  { receivers, receiver, publisher, cleanup }: Stage,
  postgres: Postgres,
  { organizations }: Installation,
): Promise<Way[]> {
  const targets = Object.fromEntries(
    [...organizations].map(([path, { organizationId }]) => [organizationId, receiver.url(path)]),
  )
  const start = async (file: string, database: string) => {
    const { url } = await postgres.create(database)
    const settings = { connectionString: url, receiving: receivers.receiving(), inFlight, targets }
    return startProgram(file, settings satisfies QueueSettings, cleanup)
  }
  const bare = await start('programs/bare-sender.ts', 'nothing')
  const queue = async (name: string, file: string, database: string): Promise<Way> => {
    const program = await start(file, database)
    const port = await program.ask<number>('port')
    const begin = (work: Work) => publisher.ask<Published>(toOrder(port, organizations, work))
    return { name, pids: [program.pid], postgres, begin }
  }
  const beginBare = (work: Work) => bare.ask<Sent>(toBareOrder(organizations, work))
  return [
    { name: 'bare loop', pids: [bare.pid], postgres, begin: beginBare },
    await queue('graphile-worker', 'peers/graphile-worker.ts', 'graphile_worker'),
    await queue('pg-boss', 'peers/pg-boss.ts', 'pg_boss'),
  ]
}

const toBareOrder = (
  organizations: Installation['organizations'],
  { paths, deliveries, everyMs }: Work,
): BareOrder => ({
  organizationIds: paths.map((path) => organizations.get(path)?.organizationId ?? ''),
  deliveries,
  inFlight,
  ...(everyMs !== undefined && { everyMs }),
})
