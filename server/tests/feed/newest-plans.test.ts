import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createNewest, eventsPerLook, maxLooks } from '../../src/delivery/feed/index.ts'
import type { Database } from '../../src/ground/database/database.ts'
import { fragment } from '../../src/ground/database/sql.ts'
import type { Positions } from '../../src/ground/positions/index.ts'
import { type Filters, wantedOf } from '../../src/identity/sign-in/history/history-store.ts'
import { testDatabase } from '../support/database.ts'
import { explainingConnection, mayExplain, rowsOf } from '../support/plans.ts'

const ours = '00000000-0000-7000-8000-000000000001'
const person = '00000000-0000-7000-8000-000000000002'
const count = 30_000
/** Of a page of ten, by one statement for the end, one for the span, and one for the page, of up to 18 ranges. */
const mostRows = 300
const days = ['20200101', '20200102', '20200103']
const dayStart = (day: string) => Date.UTC(2020, 0, Number(day.slice(6)))

let drop: () => Promise<void>
let explaining: Awaited<ReturnType<typeof explainingConnection>>

/**
 * Sign-ins of three days, each ten seconds, of one person, handle and address; each thousandth fails, as another person, with another
 * handle and from another address. After them as many page events, of which each thousandth is of the first person.
 */
beforeAll(async () => {
  if (!mayExplain) return
  const database = await testDatabase()
  drop = database.drop
  explaining = await explainingConnection(database, 'work')
  const run = (text: string) => explaining.queries.rows({ name: '', text, values: [] })
  const bound = (day: string) =>
    `'${dayStart(day)
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-7000-8000-000000000000'`
  const id = (from: string) =>
    `(regexp_replace(lpad(to_hex(${from}), 12, '0'), '^(.{8})', '\\1-') || '-7000-8000-' || lpad(n::text, 12, '0'))::uuid`
  const begin = dayStart('20200101')
  for (const day of days)
    await run(
      `create table events_${day} partition of events for values from (${bound(day)}) to (${bound(String(Number(day) + 1))})`,
    )
  await run(`
    insert into events (org_id, id, name, payload, position, person_id, outcome, client_ip_address, handle_type, handle_hash, handle_value, handle_verified)
    select '${ours}', ${id(`${begin}::bigint + n * 4000`)},
           case when n % 1000 = 7 then 'AuthenticationFailed_v1' else 'AuthenticationSucceeded_v1' end, '{}', n,
           case when n % 1000 = 7 then '${person}'::uuid else '${ours}'::uuid end,
           case when n % 1000 = 7 then 'sync_hook_denied' else 'succeeded' end,
           case when n % 1000 = 7 then '192.0.2.1' else '203.0.113.7' end, 'EmailAddress',
           case when n % 1000 = 7 then 'rare' else 'usual' end, 'jo@example.com', true from generate_series(1, ${count}) n`)
  await run(`
    insert into events (org_id, id, name, payload, position, person_id)
    select '${ours}', ${id(`${begin}::bigint + ${count} * 4000 + n * 4000`)}, 'VirtualPageLoaded_v1', '{}', ${count} + n,
           case when n % 1000 = 7 then '${person}'::uuid else '${ours}'::uuid end from generate_series(1, ${count}) n`)
  await run('analyze events')
  await run('set plan_cache_mode = force_generic_plan')
}, 90_000)
afterAll(async () => {
  await explaining?.end()
  await drop?.()
})

const positions = {
  end: async () => 10 * count,
  cursors: () => ({
    write: async (position: number) => String(position),
    read: async (_organization: string, after: string) => Number(after),
  }),
} as unknown as Positions

type Asked = Partial<Filters> & { since?: string; until?: string; after?: string; limit?: number }

async function read(asked: Asked) {
  const newest = createNewest(
    { database: { pages: explaining.queries } as Pick<Database, 'pages'>, positions },
    'sign-ins',
  )
  const { since, until, after, limit = 10, ...filters } = asked
  const none = {
    personId: undefined,
    status: undefined,
    reason: undefined,
    hashes: undefined,
    clientAddress: undefined,
  }
  const wanted = wantedOf({ ...none, ...filters })
  if (wanted === 'none') throw new Error('they exclude each other')
  explaining.plans.length = 0
  const found = await newest.read(ours, { ...wanted, since, until, after, limit, columns: fragment`` })
  return {
    ...found,
    read: explaining.plans.map(rowsOf).reduce((sum, rows) => sum + rows, 0),
    plans: explaining.plans.length,
  }
}

const at = (n: number) => new Date(dayStart('20200101') + n * 4000).toISOString()

describe.skipIf(!mayExplain)('Newest events', () => {
  test.each<[Asked, number]>([
    [{}, 10],
    [{ status: 'succeeded' }, 10],
    [{ status: 'failed' }, 10],
    [{ reason: 'sync_hook_denied' }, 10],
    [{ reason: 'unspecified' }, 0],
    [{ personId: person }, 10],
    [{ personId: person, status: 'failed' }, 10],
    [{ personId: person, status: 'succeeded' }, 0],
    [{ hashes: ['rare', 'rarer'] }, 10],
    [{ hashes: ['usual'] }, 10],
    [{ clientAddress: '192.0.2.1' }, 10],
    [{ clientAddress: '198.51.100.1' }, 0],
    [{ after: String(count / 2) }, 10],
    [{ until: at(count / 2), since: at(count / 2 - 5_000) }, 10],
    [{ until: at(count / 2), personId: person }, 10],
    [{ since: at(count - 50) }, 10],
    [{ since: at(3 * count) }, 0],
  ])('Newest events by an index are a few rows, whatever there is (%j)', async (asked, expected) => {
    const found = await read(asked)
    expect(found.rows).toHaveLength(expected)
    expect(found.read).toBeLessThan(mostRows)
    expect(found.plans).toBe(3)
  })

  test('Newest events that few match are looked for among so many, and the page says where to go on', async () => {
    const asked: Asked = { hashes: ['usual'], reason: 'sync_hook_denied' }
    const first = await read(asked)
    expect(first.rows).toEqual([])
    expect(first.read).toBeLessThan(3 * eventsPerLook * maxLooks)
    let pages = 1
    for (let after = first.next; after !== undefined; pages++) after = (await read({ ...asked, after })).next
    expect(pages).toBe(3)
  })

  test('Newest events of a walk with more comparisons are all found, once each', async () => {
    const found: number[] = []
    for (let after: string | undefined; ; ) {
      const page = await read({ personId: person, hashes: ['rare'], after, limit: 7 } as Asked)
      found.push(...page.rows.map(({ position }) => Number(position)))
      if (page.next === undefined) break
      after = page.next
    }
    expect(found).toEqual(Array.from({ length: count / 1000 }, (_, index) => count - 993 - index * 1000))
  })
})
