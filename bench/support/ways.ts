import type { Sent } from '../programs/bare-sender.ts'
import type { Published } from '../programs/publisher.ts'
import type { Postgres } from './postgres.ts'
import { cpuOf } from './processes.ts'
import type { Program } from './program.ts'
import { delaysOf, type Receiver } from './receivers.ts'

/** Calls of one sender that are under way at once. */
export const inFlight = 16

/** What is to be delivered: one delivery for each event, to the webhooks of these paths of the receiver in turn. */
export type Work = {
  paths: string[]
  deliveries: number
  perCall: number
  callers: number
  /** From the beginning of one call to that of the next; without it as fast as it goes. */
  everyMs?: number
}

/** One way from an event to its receiver. */
export type Way = {
  name: string
  /** The processes that send. */
  pids: number[]
  /** Where they keep things. */
  postgres: Postgres
  /** Begins the work; done when all of it is accepted (the bare loop: delivered). */
  begin(work: Work): Promise<Sent | Published>
}

export type Bench = {
  /** The servers, in words. */
  servers: string
  receiver: Receiver
  publisher: Program
  ways: Way[]
}

/** Deliveries a second, and µs of CPU a delivery. */
export type Measured = { rate: number; sender: number; postgres: number; publisher: number; receiver: number }

/** From the first call until the last distinct delivery has arrived. */
export async function measureRate(bench: Bench, way: Way, work: Work): Promise<Measured> {
  const { receiver, publisher } = bench
  await receiver.forget()
  const ofSender = () => way.pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  const used = () => [ofSender(), way.postgres.cpu(), cpuOf(publisher.pid), cpuOf(receiver.pid)]
  const before = used()
  const [{ beganAt }, lastAt] = await Promise.all([way.begin(work), receiver.until(work.deliveries)])
  const [sender = 0, database = 0, publishing = 0, receiving = 0] = used().map(
    (after, index) => ((after - (before[index] ?? 0)) / work.deliveries) * 1e6,
  )
  const rate = (work.deliveries / (lastAt - beganAt)) * 1_000
  return { rate, sender, postgres: database, publisher: publishing, receiver: receiving }
}

/** How long each delivery took in ms, from its call's answer (the bare loop: from its beginning) to its arrival. */
export async function measureDelays({ receiver }: Pick<Bench, 'receiver'>, way: Way, work: Work): Promise<number[]> {
  await receiver.forget()
  const [{ events }] = await Promise.all([way.begin(work), receiver.until(work.deliveries)])
  return delaysOf(await receiver.tell(), events)
}
