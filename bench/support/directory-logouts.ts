import pg from 'pg'
import { times } from './client.ts'
import { type Directory, patchOf, textOfScim } from './directory.ts'
import { type Credentials, openExchange } from './exchange.ts'
import { milliseconds, quantile, table, verdict, whole } from './figures.ts'
import { monotonicMs, until } from './monotonic.ts'
import { delaysOf, pathOf, type Receiver } from './receivers.ts'
import { addSession } from './sessions.ts'

/** 50 a second. */
const everyMs = 20
const exchangesAtOnce = 20
const aims = { median: 50, tail: 500 }

type Bench = {
  directory: Directory
  organization: Credentials
  databaseUrl: string
  /** Of an application whose logout tokens `receiver` gets at `/logout`. */
  clientId: string
  receiver: Receiver
}

/** From the PATCH that switches a user off until the application has the whole logout token. */
export async function measureSwitchingOff(bench: Bench, ids: string[]): Promise<string[]> {
  const { directory, organization, databaseUrl, clientId, receiver } = bench
  const database = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  await times(ids.length, (n) => addSession(database, organization, ids[n] as string, [clientId]))
  await database.end()
  const exchanges = await Promise.all(Array.from({ length: exchangesAtOnce }, () => openExchange(directory.port)))
  await receiver.forget()
  const off = patchOf({ op: 'Replace', path: 'active', value: 'False' })
  const called: [string, number][] = []
  const began = monotonicMs()
  const left = ids.entries()
  const work = async ({ send }: (typeof exchanges)[number]) => {
    for (const [n, id] of left) {
      await until(began + n * everyMs)
      called.push([id, monotonicMs()])
      await send(textOfScim(directory, `PATCH /Users/${id}`, off))
    }
  }
  await Promise.all(exchanges.map(work))
  await receiver.until(ids.length)
  for (const { close } of exchanges) close()
  const arrivals = (await receiver.tell()).filter(([place]) => pathOf(place) === '/logout')
  const delays = delaysOf(arrivals, called)
  const [median, tail] = [quantile(delays, 0.5), quantile(delays, 0.99)]
  const judge = (reached: number, aim: number) => `under ${aim} ms: ${verdict(reached < aim)}`
  const rows = [
    ['', 'reached', 'target'],
    ['median', milliseconds(median), judge(median, aims.median)],
    ['99th percentile', milliseconds(tail), judge(tail, aims.tail)],
  ]
  const title = `**From \`active: false\` to the logout token at the application**, ${whole(ids.length)} users, ${1_000 / everyMs} a second`
  return [title, table(rows)]
}
