// A part of the benchmarks of delivery, in a process of its own: makes calls over HTTP that publish events.
import { type Credentials, openExchange, textOfRequest } from '../support/exchange.ts'
import { monotonicMs, until } from '../support/monotonic.ts'

export type PublishOrder = {
  /** Of several, each caller has one. */
  port: number | number[]
  /** Method and path. */
  what: string
  json: string
  /** Take turns. */
  organizations: Credentials[]
  calls: number
  /** So many at once, each with one call open. */
  callers: number
  /** From the beginning of one call to that of the next; without it, each follows the answer of the one before. */
  everyMs?: number
  /** Whether the ids of the published events are wanted. */
  tellIds?: boolean
}

export type Published = {
  /** Of the first call; as all times here, of the clock that processes share. */
  beganAt: number
  endedAt: number
  /** How long each call took, in ms. */
  took: number[]
  /** Ids of events, and when they were answered. */
  events: [id: string, answeredAt: number][]
}

process.on('disconnect', () => process.exit())
process.on('message', async (order: PublishOrder) => process.send?.(await publish(order)))

async function publish(order: PublishOrder): Promise<Published> {
  const { port, what, organizations, json, calls, callers, everyMs } = order
  const ports = [port].flat()
  const texts = organizations.map((organization) => textOfRequest(ports[0] as number, what, organization, json))
  const exchanges = await Promise.all(
    Array.from({ length: callers }, (_, n) => openExchange(ports[n % ports.length] as number)),
  )
  const done: Published = { beganAt: monotonicMs(), endedAt: 0, took: [], events: [] }
  let next = 0
  const work = async ({ send }: (typeof exchanges)[number]) => {
    while (next < calls) {
      const n = next++
      if (everyMs !== undefined) await until(done.beganAt + n * everyMs)
      const began = monotonicMs()
      const answer = await send(texts[n % texts.length] as string)
      const answeredAt = monotonicMs()
      done.took.push(answeredAt - began)
      if (order.tellIds) for (const id of idsIn(answer)) done.events.push([id, answeredAt])
    }
  }
  await Promise.all(exchanges.map(work))
  for (const { close } of exchanges) close()
  return { ...done, endedAt: monotonicMs() }
}

const idsIn = (answer: string): string[] => [...answer.matchAll(/"event_id":"([^"]+)"/g)].map(([, id = '']) => id)
