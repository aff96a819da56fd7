import type { BareOrder, Sent } from '../bare-sender.ts'
import type { Published, PublishOrder } from '../publisher.ts'
import type { QueueSettings } from './acceptor.ts'
import type { Credentials } from './exchange.ts'
import { installPeers } from './install-peers.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { cpuOf } from './processes.ts'
import { type Program, startProgram } from './program.ts'
import { openReceivers, type Receiver } from './receivers.ts'
import { benchEvent } from './sender.ts'
import { settingsOn, startSignet } from './signet.ts'

/** Calls of one sender that are under way at once. */
export const inFlight = 16

/** What is to be delivered: one delivery for each event, the organizations in turn. */
export type Work = {
  organizations: Credentials[]
  deliveries: number
  perCall: number
  callers: number
  /** From the beginning of one call to that of the next; without it as fast as it goes. */
  everyMs?: number
}

/** One way from an event to its receiver. */
export type Way = {
  name: string
  /** The process that sends. */
  pid: number
  /** Begins the work; done when all of it is accepted (the bare loop: delivered). */
  begin(work: Work): Promise<Sent | Published>
}

export type Bench = { postgres: Postgres; receiver: Receiver; publisher: Program; ways: Way[] }

/** Deliveries a second, and µs of CPU a delivery. */
export type Measured = { rate: number; sender: number; postgres: number; publisher: number; receiver: number }

/** From the first call until the last distinct delivery has arrived. */
export async function measureRate(bench: Bench, way: Way, work: Work): Promise<Measured> {
  const { postgres, receiver, publisher } = bench
  await receiver.forget()
  const used = () => [cpuOf(way.pid), postgres.cpu(), cpuOf(publisher.pid), cpuOf(receiver.pid)]
  const before = used()
  const [{ beganAt }, lastAt] = await Promise.all([way.begin(work), receiver.until(work.deliveries)])
  const [sender = 0, database = 0, publishing = 0, receiving = 0] = used().map(
    (after, index) => ((after - (before[index] ?? 0)) / work.deliveries) * 1e6,
  )
  const rate = (work.deliveries / (lastAt - beganAt)) * 1_000
  return { rate, sender, postgres: database, publisher: publishing, receiver: receiving }
}

/** How long each delivery took in ms, from its call's answer (the bare loop: from its beginning) to its arrival. */
export async function measureDelays({ receiver }: Bench, way: Way, work: Work): Promise<number[]> {
  await receiver.forget()
  const [{ events }] = await Promise.all([way.begin(work), receiver.until(work.deliveries)])
  const arrivals = await receiver.tell()
  const beganAt = new Map(events)
  return arrivals.map(([place, at]) => at - (beganAt.get(place.slice(-36)) ?? Number.NaN))
}

type MakeOrganizations = (signet: { port: number }, receiver: Receiver) => Promise<Record<string, string>>

/**
 * Everybody in processes of their own: the bare loop, Signet and the queues, each with a database of its own on one
 * PostgreSQL; `makeOrganizations` makes what is needed in Signet, and gives each organization's target.
 */
export async function startWays(
  folder: string,
  cleanup: AsyncDisposableStack,
  makeOrganizations: MakeOrganizations,
): Promise<Bench> {
  installPeers('peers')
  const postgres = await startPostgres(folder, cleanup)
  const receivers = await openReceivers(folder, cleanup)
  const receiver = await receivers.start()
  const publisher = await startProgram('publisher.ts', {}, cleanup)
  const calls = `${inFlight}`
  const signet = await startSignet(folder, cleanup, {
    ...settingsOn((await postgres.create('signet_bench')).url),
    ...receivers.settings(),
    SIGNET_CALLS_PER_WEBHOOK: calls,
    SIGNET_CALLS_PER_ORGANIZATION: calls,
    SIGNET_CALLS_IN_ALL: calls,
  })
  const targets = await makeOrganizations(signet, receiver)
  const start = async (file: string, database: string) => {
    const { url } = await postgres.create(database)
    const settings = { connectionString: url, receiving: receivers.receiving(), inFlight, targets }
    return startProgram(file, settings satisfies QueueSettings, cleanup)
  }
  const bare = await start('bare-sender.ts', 'nothing')
  const publishTo = (port: number) => (work: Work) => publisher.ask<Published>(toOrder(port, work))
  const queue = async (name: string, file: string, database: string): Promise<Way> => {
    const program = await start(file, database)
    return { name, pid: program.pid, begin: publishTo(await program.ask<number>('port')) }
  }
  return {
    ...{ postgres, receiver, publisher },
    ways: [
      { name: 'bare loop', pid: bare.pid, begin: (work) => bare.ask<Sent>(toBareOrder(work)) },
      { name: 'Signet', pid: signet.pid, begin: publishTo(signet.port) },
      await queue('graphile-worker', 'peers/graphile-worker.ts', 'graphile_worker'),
      await queue('pg-boss', 'peers/pg-boss.ts', 'pg_boss'),
    ],
  }
}

const toBareOrder = ({ organizations, deliveries, everyMs }: Work): BareOrder => ({
  organizationIds: organizations.map(({ organizationId }) => organizationId),
  ...{ deliveries, inFlight },
  ...(everyMs !== undefined && { everyMs }),
})

const toOrder = (port: number, { organizations, deliveries, perCall, callers, everyMs }: Work): PublishOrder => ({
  ...{ port, what: 'POST /test-events', organizations, callers },
  json: JSON.stringify(Array.from({ length: perCall }, () => ({ event_name: benchEvent }))),
  calls: deliveries / perCall,
  ...(everyMs !== undefined && { everyMs, tellIds: true }),
})
