// A part of the benchmarks, in a process of its own: sends requests that are given as they are, each once.
import { openExchange } from '../support/exchange.ts'
import { monotonicMs } from '../support/monotonic.ts'

export type RequestsOrder = {
  port: number
  texts: string[]
  /** So many at once, each with one request open. */
  callers: number
}

export type Requested = { seconds: number /** The first `id` in each answer. */; ids: string[] }

process.on('disconnect', () => process.exit())
process.on('message', async (order: RequestsOrder) => process.send?.(await request(order)))

async function request({ port, texts, callers }: RequestsOrder): Promise<Requested> {
  const exchanges = await Promise.all(Array.from({ length: callers }, () => openExchange(port)))
  const ids: string[] = []
  const began = monotonicMs()
  const left = texts.values()
  const work = async ({ send }: (typeof exchanges)[number]) => {
    for (const text of left) ids.push(/"id":"([^"]+)"/.exec(await send(text))?.[1] ?? '')
  }
  await Promise.all(exchanges.map(work))
  const seconds = (monotonicMs() - began) / 1_000
  for (const { close } of exchanges) close()
  return { seconds, ids }
}
