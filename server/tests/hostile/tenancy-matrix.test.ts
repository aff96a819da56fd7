import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Answer, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { type Operation, readOperations } from './support/document.ts'
import { spread } from './support/form.ts'
import { unreachedRates } from './support/rates.ts'
import { addressOf, makeThings, type Things } from './support/things.ts'

/** For some two thousand calls. */
const patience = 600_000
const theirMark = 'victim'

let signet: OwnSignet
let inside: pg.Client
let operations: Operation[]
let ours: Organization
let theirs: Organization
let ourThings: Things
let theirThings: Things

beforeAll(async () => {
  const hosts = ['victim', 'attacker'].map((name) => `${name}.example.com:443:127.0.0.1`).join()
  signet = await startOwnSignet({
    env: { ...unreachedRates, SIGNET_ROLES: 'api', SIGNET_WEBHOOK_RESOLVE: hosts },
  })
  inside = new pg.Client(signet.database)
  await inside.connect()
  operations = await readOperations(signet)
  ours = await signet.organization({ name: 'Attacker' })
  theirs = await signet.organization({ name: theirMark })
  ourThings = await makeThings(signet, ours, 'attacker')
  theirThings = await makeThings(signet, theirs, theirMark)
  // Counts their events now: the process would do so later.
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const counted = await signet.as(theirs, 'GET', `/organizations/statistics?step=1h&since=${since}`)
  expect(counted.status).toBe(200)
})

afterAll(async () => {
  await inside?.end()
  await signet?.stop()
})

/** Every row of theirs, without the time of a key's last use. */
async function theirRows(): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await inside.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
     where c.relkind in ('r', 'p') and not c.relispartition order by 1`)
  const found: Record<string, unknown[]> = {}
  for (const [name, column] of [...tables.map(({ name }) => [name, 'org_id']), ['organizations', 'id']] as const) {
    const text = `select to_jsonb(t) - 'last_used_at' as row from ${name} t where ${column} = $1 order by 1`
    found[name as string] = (await inside.query(text, [theirs.id])).rows.map(({ row }) => row)
  }
  return found
}

const expectNone = (answer: Answer, words: string[], where: string) => {
  const shown = JSON.stringify(answer.body ?? '')
  for (const word of words) expect(shown, where).not.toContain(word)
}

/** What the requests below do not say of them, and so can show only if it is theirs. */
const unsaid = [`${theirMark}@example.com`, `${theirMark}.example.com`, `${theirMark}-secret`]

const isOurs = ({ access }: Operation) => access === 'key' || access === 'organization'

/** In turn: each place in the path has a thing of theirs, while the others have one of ours, and all have. */
function mixedAddresses({ path }: Operation): string[] {
  const places = [...path.matchAll(/([\w-]+)\/\{\w+\}/g)].map(([, before = '']) => before)
  const one = places.map((place) => addressOf(path, { ...ourThings, [place]: theirThings[place] ?? '' }))
  return places.length > 0 ? [...new Set([...one, addressOf(path, theirThings)])] : []
}

const neededQuery = ({ parameters }: Operation) => {
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return needed.length > 0 ? `?${needed.map(({ name, example }) => `${name}=${example}`).join('&')}` : ''
}

test('A thing of another organization in a path is not found, and stays as it is', { timeout: patience }, async () => {
  const before = await theirRows()
  for (const operation of operations.filter(isOurs))
    for (const address of mixedAddresses(operation)) {
      const answer = await signet.as(ours, operation.method, address + neededQuery(operation), operation.example)
      const where = `${operation.name} at ${address}: ${answer.status} ${JSON.stringify(answer.body)}`
      // An example may name what there is not, which is found out first.
      expect([400, 404], where).toContain(answer.status)
      const words = [theirMark, theirs.id, ...Object.values(theirThings)]
      expectNone(answer, [...words.filter((word) => !address.includes(word)), ...unsaid], where)
    }
  expect(await theirRows()).toEqual(before)
})

/** Each member of the example in turn, and each of its items, with every id and name of theirs. */
function mixedBodies({ example }: Operation): unknown[] {
  const item = Array.isArray(example) ? example[0] : example
  if (typeof item !== 'object' || item === null) return []
  const values = [...new Set([...Object.values(theirThings), theirs.id])]
  return Object.entries(item).flatMap(([name, value]) => {
    const isText =
      typeof value === 'string' || (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    if (!isText) return []
    return values.map((their) => {
      const body = { ...item, [name]: Array.isArray(value) ? [their] : their }
      return Array.isArray(example) ? [body] : body
    })
  })
}

const idLike = /(^|_)(id|ids|name|handle|person|group|webhook|after|before|subject)($|_)/

test('A thing of another organization in a body or a query changes nothing of theirs and shows none', {
  timeout: patience,
}, async () => {
  const before = await theirRows()
  const named = operations.filter(isOurs).flatMap((operation) => {
    const address = addressOf(operation.path, ourThings)
    const bodies = mixedBodies(operation).map((body) => ({
      operation,
      address: address + neededQuery(operation),
      body,
    }))
    const parameters = operation.parameters.filter(
      (parameter) => parameter.in === 'query' && idLike.test(parameter.name),
    )
    const queries = parameters.flatMap(({ name }) =>
      Object.values(theirThings).map((their) => ({
        operation,
        address: `${address}?${name}=${their}`,
        body: undefined,
      })),
    )
    return [...queries, ...bodies]
  })
  expect(named.length).toBeGreaterThan(300)
  for (const { operation, address, body } of spread(named, 300)) {
    const answer = await signet.as(ours, operation.method, address, body)
    const where = `${operation.name} at ${address} with ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`
    expect(answer.status, where).not.toBe(500)
    expectNone(answer, unsaid, where)
  }
  expect(await theirRows()).toEqual(before)
})
