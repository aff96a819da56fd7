// A part of `npm run bench -- isolation`, in a process of its own: a plain pool of requests, which signs and posts with the product's own
// functions and stores nothing. What fails is not tried again.
import { makeJob, type QueueSettings } from '../support/acceptor.ts'
import { monotonicMs, until } from '../support/monotonic.ts'
import { benchEvent, type Job, openSender } from '../support/sender.ts'

export type PoolOrder = {
  organizationId: string
  deliveries: number
  inFlight: number
  everyMs: number
  timeoutMs: number
}
/** When each was handed to the pool; of the clock that processes share. */
export type Pooled = { events: [id: string, at: number][] }

const { receiving, targets }: QueueSettings = JSON.parse(process.argv[2] ?? '')
const send = openSender(receiving)

process.on('disconnect', () => process.exit())
process.on('message', async (order: PoolOrder) => process.send?.(await deliver(order)))

async function deliver({ organizationId, deliveries, inFlight, everyMs, timeoutMs }: PoolOrder): Promise<Pooled> {
  const pooled: Pooled = { events: [] }
  const waiting: Job[] = []
  let running = 0
  const begin = async () => {
    const job = running < inFlight ? waiting.shift() : undefined
    if (!job) return
    running += 1
    await send(job).catch(() => {})
    running -= 1
    void begin()
  }
  const beganAt = monotonicMs()
  for (let n = 0; n < deliveries; n++) {
    await until(beganAt + n * everyMs)
    const job = { ...makeJob(organizationId, targets[organizationId] as string, benchEvent), timeoutMs }
    pooled.events.push([job.eventId, monotonicMs()])
    waiting.push(job)
    void begin()
  }
  while (running > 0) await until(monotonicMs() + everyMs)
  return pooled
}
