// A part of the benchmarks of delivery, in a process of its own: the bare loop, which signs and posts and stores nothing.
import { makeJob, type QueueSettings } from '../support/acceptor.ts'
import { monotonicMs, until } from '../support/monotonic.ts'
import { benchEvent, openSender } from '../support/sender.ts'

export type BareOrder = {
  /** In turn. */
  organizationIds: string[]
  deliveries: number
  inFlight: number
  /** From the beginning of one delivery to that of the next; without it, each follows the one before. */
  everyMs?: number
}
/** When each delivery began; of the clock that processes share. */
export type Sent = { beganAt: number; events: [id: string, beganAt: number][] }

const { receiving, targets }: QueueSettings = JSON.parse(process.argv[2] ?? '')
const send = openSender(receiving)

process.on('disconnect', () => process.exit())
process.on('message', async (order: BareOrder) => process.send?.(await deliver(order)))

async function deliver({ organizationIds, deliveries, inFlight, everyMs }: BareOrder): Promise<Sent> {
  const jobs = Array.from({ length: deliveries }, (_, n) => {
    const organizationId = organizationIds[n % organizationIds.length] as string
    return makeJob(organizationId, targets[organizationId] as string, benchEvent)
  })
  const sent: Sent = { beganAt: monotonicMs(), events: [] }
  let next = 0
  const work = async () => {
    while (next < deliveries) {
      const n = next++
      const job = jobs[n] as (typeof jobs)[number]
      if (everyMs !== undefined) await until(sent.beganAt + n * everyMs)
      if (everyMs !== undefined) sent.events.push([job.eventId, monotonicMs()])
      await send(job)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, work))
  return sent
}
