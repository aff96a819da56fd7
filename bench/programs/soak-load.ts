// A part of `npm run bench -- soak`, in a process of its own: callers of one organization that write, read, publish and follow the feed,
// as many operations as they can or so many a second.
import { type Credentials, type Exchange, openExchange, textOfRequest } from '../support/exchange.ts'
import { monotonicMs, until } from '../support/monotonic.ts'

export type SoakSettings = { port: number; organization: Credentials; groups: string[] }
/** Without a rate each caller asks as soon as it has the answer before. */
export type SoakOrder = { seconds: number; rate?: number }
export type SoakDone = {
  operations: number
  seconds: number
  /** The beginning of each answer that was no success. */
  errors: string[]
  /** Of each operation but the publications and the feed: when it was due, by the clock that processes share, and how long it took from then. */
  took: [dueAt: number, ms: number][]
}

const callers = 32
/** Of each caller: then it deletes the oldest one, so that the database stays as it is. */
const maxPersons = 50
const feedPage = 100
const maxErrorLength = 200

type Caller = { exchange: Exchange; personIds: string[]; cursor: string | undefined }

const { port, organization, groups } = JSON.parse(process.argv[2] ?? '') as SoakSettings
/** Of each caller, over all orders. */
const kept: Omit<Caller, 'exchange'>[] = Array.from({ length: callers }, () => ({ personIds: [], cursor: undefined }))

process.on('disconnect', () => process.exit())
process.on('message', async (order: SoakOrder) => process.send?.(await work(order)))

const ask = ({ exchange }: Caller, what: string, body?: object) =>
  exchange.send(textOfRequest(port, what, organization, body ? JSON.stringify(body) : ''))

const personOf = ({ personIds }: Caller, n: number) => personIds[n % personIds.length]

async function createPerson(caller: Caller) {
  const [, id = ''] = /"person_id":"([^"]+)"/.exec(await ask(caller, 'POST /persons', {})) ?? []
  caller.personIds.push(id)
}

async function writePerson(caller: Caller) {
  if (caller.personIds.length < maxPersons) return createPerson(caller)
  await ask(caller, `DELETE /persons/${caller.personIds.shift()}`)
}

async function setGroups(caller: Caller, n: number) {
  const [person] = caller.personIds
  if (!person) return createPerson(caller)
  const some = Array.from({ length: 5 }, (_, place) => groups[(7 * n + place) % groups.length])
  await ask(caller, `PUT /persons/${personOf(caller, n)}/groups`, { groups: some })
}

async function readPerson(caller: Caller, n: number) {
  if (caller.personIds.length === 0) return createPerson(caller)
  await ask(caller, `GET /persons/${personOf(caller, n)}`)
}

const listPersons = (caller: Caller) => ask(caller, 'GET /persons?limit=20')
const publish = (caller: Caller) => ask(caller, 'POST /test-events', Array(2).fill({ event_name: 'PersonCreated_v1' }))

async function readFeed(caller: Caller) {
  const after = caller.cursor ? `&after=${caller.cursor}` : ''
  const [, next] = /"next":"([^"]+)"/.exec(await ask(caller, `GET /events?limit=${feedPage}${after}`)) ?? []
  caller.cursor = next
}

/** In turn. Management is what a person at a console or an application waits for. */
const mix: { run: (caller: Caller, n: number) => Promise<unknown>; isManagement: boolean }[] = [
  ...[writePerson, readPerson, setGroups, readPerson, listPersons, writePerson, readPerson].map((run) => ({
    run,
    isManagement: true,
  })),
  ...[publish, readFeed, publish].map((run) => ({ run, isManagement: false })),
]

async function work({ seconds, rate }: SoakOrder): Promise<SoakDone> {
  const done: SoakDone = { operations: 0, seconds: 0, errors: [], took: [] }
  // Anew: between two orders the server may close what is idle.
  const all = await Promise.all(kept.map(async (one) => Object.assign(one, { exchange: await openExchange(port) })))
  const began = monotonicMs()
  let next = 0
  const call = async (caller: Caller) => {
    for (;;) {
      const n = next++
      const dueAt = rate ? began + (n * 1_000) / rate : monotonicMs()
      if (dueAt - began >= seconds * 1_000) return
      await until(dueAt)
      await operate(caller, n, dueAt, done)
    }
  }
  await Promise.all(all.map(call))
  for (const { exchange } of all) exchange.close()
  return { ...done, seconds: (monotonicMs() - began) / 1_000 }
}

async function operate(caller: Caller, n: number, dueAt: number, done: SoakDone) {
  const { run, isManagement } = mix[n % mix.length] as (typeof mix)[number]
  try {
    await run(caller, n)
  } catch (error) {
    done.errors.push((error as Error).message.slice(0, maxErrorLength))
  }
  done.operations++
  if (isManagement) done.took.push([dueAt, monotonicMs() - dueAt])
}
