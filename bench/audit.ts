// `npm run bench:audit`: what a page of the audit log costs among a million entries, by every combination of filters, first and
// last page; and what the table and each of its indexes cost a write.

import { connectionOf } from '../server/src/ground/database/connection.ts'
import { migrate } from '../server/src/ground/database/migrate.ts'
import { toTimestamp } from '../server/src/ground/runtime/clock.ts'
import { type Filters, pageOfEntries } from '../server/src/identity/audit-log/entry-store.ts'
import { figureOf, milliseconds, percent, quantile, show, table, whole } from './support/figures.ts'
import type { BenchDatabase } from './support/postgres.ts'
import { openServer } from './support/postgres.ts'
import { orQuick } from './support/quick.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, withCleanup } from './support/signet.ts'

const entries = orQuick(1_000_000, 20_000)
const pageSize = 100
const repetitions = orQuick(20, 3)
const target = 100
const organizationId = '0199a3f2-5c00-7000-8000-000000000001'
/** Of a hundred keys: one that did half of everything, and one that did ten things. */
const busyKey = '0199a3f2-5c00-7000-8000-000000000100'
const quietKey = '0199a3f2-5c00-7000-8000-000000000101'
const startedAt = Date.parse('2026-01-01T00:00:00Z')
const entryMs = 1_000

const method = `${whole(entries)} entries of one organization, by 100 keys and the operator, one each second: half of them by one key, half of them of
one action (the two independent of each other), ten by the quietest key, ten of the rarest action. Pages of ${pageSize}, straight from
the store; the median and the slowest of ${repetitions}. "Last" is the page after the cursor that leaves at most ${pageSize} places.`

/** Named values of each filter; the first is that it is absent. */
const actions = { '': undefined, common: 'createPerson', rare: 'rotateSigningKeys' }
const actors = {
  '': undefined,
  'busy key': { id: busyKey },
  'quiet key': { id: quietKey },
  operator: { type: 'operator' },
  keys: { type: 'key' },
}
const timeAt = (share: number) => toTimestamp(startedAt + entries * entryMs * share)
const spans = {
  '': {},
  'since the middle': { since: timeAt(0.5) },
  'until the middle': { until: timeAt(0.5) },
  'an hour of the middle': { since: timeAt(0.5), until: toTimestamp(startedAt + entries * entryMs * 0.5 + 3_600_000) },
}

const fillWith = (from: number, to: number) => `
  insert into audit_entries (org_id, place, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, before, after,
                             request_id, client_ip_address)
  select '${organizationId}', n, gen_random_uuid(), timestamptz '${toTimestamp(startedAt)}' + n * interval '${entryMs} ms',
         case when n % 1000 = 7 then 'operator' else 'key' end,
         case when n % 1000 = 7 then null when n % ${entries / 10} = 11 then '${quietKey}'::uuid
              when hashint4(n) % 2 = 0 then '${busyKey}'::uuid
              else ('0199a3f2-5c00-7000-8000-0000000002' || lpad((n % 98)::text, 2, '0'))::uuid end,
         'Deployment',
         case when n % ${entries / 10} = 13 then 'rotateSigningKeys' when hashint4(n + 1000003) % 2 = 0 then 'createPerson'
              else (array['createGroup', 'changeGroup', 'setPersonGroups', 'deletePerson', 'createWebhook'])[1 + n % 5] end,
         'person', gen_random_uuid()::text, null,
         json_build_object('person_id', gen_random_uuid(), 'active', true, 'region', 'local', 'handles',
           json_build_array(json_build_object('type', 'EmailAddress', 'hash', substr(md5(n::text), 1, 22), 'verified', false)),
           'groups', json_build_array('engineering'), 'created_at', now()),
         gen_random_uuid()::text, '203.0.113.7'
    from generate_series(${from}, ${to}) n`

/** Every combination, named by its parts. */
const combinations = Object.entries(actions).flatMap(([actionName, action]) =>
  Object.entries(actors).flatMap(([actorName, actor]) =>
    Object.entries(spans).map(([spanName, span]) => ({
      name: [actionName, actorName, spanName].filter(Boolean).join(', ') || 'all',
      filters: { action, actor, since: undefined, until: undefined, ...span } satisfies Filters,
    })),
  ),
)

type Page = { median: number; most: number; items: number }

async function measure({ database }: BenchDatabase, filters: Filters, before: number): Promise<Page> {
  const took: number[] = []
  let items = 0
  for (let n = 0; n < repetitions; n++) {
    const began = performance.now()
    items = (await pageOfEntries(database.pages, organizationId, filters, { before, limit: pageSize + 1 })).length
    took.push(performance.now() - began)
  }
  return { median: quantile(took, 0.5), most: Math.max(...took), items: Math.min(items, pageSize) }
}

async function measurePages(bench: BenchDatabase): Promise<string[]> {
  const rows = []
  let slowest = 0
  for (const { name, filters } of combinations) {
    const first = await measure(bench, filters, entries + 1)
    const last = await measure(bench, filters, pageSize + 1)
    slowest = Math.max(slowest, first.median, last.median)
    rows.push([
      name,
      whole(first.items),
      ...[first, last].flatMap((page) => [milliseconds(page.median), milliseconds(page.most)]),
    ])
  }
  const verdict = `The slowest median is ${milliseconds(slowest)}; the target is under ${target} ms: ${slowest < target ? 'met' : 'NOT met'}.`
  return [table([['', 'items', 'first', 'slowest', 'last', 'slowest'], ...rows]), verdict]
}

const indexes = [
  'audit_entries_by_action',
  'audit_entries_by_actor',
  'audit_entries_by_actor_and_action',
  'audit_entries_by_actor_type',
  'audit_entries_by_time',
]
const writes = orQuick(30_000, 300)
const writeRounds = orQuick(5, 1)

/** Entries a second within one statement, so that the table and its indexes are all there is to it. */
async function writeRate({ run }: BenchDatabase): Promise<number> {
  const began = performance.now()
  await run(fillWith(entries + 1, entries + writes))
  const rate = (writes / (performance.now() - began)) * 1_000
  await run(`delete from audit_entries where place > ${entries}`)
  await run('vacuum audit_entries')
  return rate
}

async function measureIndexes(bench: BenchDatabase): Promise<string> {
  const without = Object.fromEntries(['none', ...indexes, 'any'].map((name) => [name, [] as number[]]))
  for (let round = 0; round < writeRounds; round++)
    for (const [name, rates] of Object.entries(without)) {
      const dropped = name === 'none' ? [] : name === 'any' ? indexes : [name]
      const definitions = await bench.rows<{ indexdef: string }>(
        `select indexdef from pg_indexes where indexname in ('${['', ...dropped].join("','")}')`,
      )
      for (const index of dropped) await bench.run(`drop index ${index}`)
      rates.push(await writeRate(bench))
      for (const { indexdef } of definitions) await bench.run(indexdef)
    }
  const sizes = await bench.rows<{ name: string; bytes: number }>(`
    select indexrelid::regclass::text as name, pg_relation_size(indexrelid) / ${entries}.0 as bytes
      from pg_index where indrelid = 'audit_entries'::regclass`)
  const bytesOf = (name: string) => Number(sizes.find((size) => size.name === name)?.bytes ?? Number.NaN)
  const rows = Object.entries(without).map(([name, rates]) => [
    name === 'none' ? 'with all indexes' : name === 'any' ? 'without any but the primary key' : `without ${name}`,
    show(figureOf(rates)),
    show(figureOf(rates.map((rate, round) => rate / (without.none?.[round] ?? Number.NaN))), percent),
    Number.isNaN(bytesOf(name)) ? '' : whole(bytesOf(name)),
  ])
  return table([['', 'entries/s', 'of all', 'bytes of that index per entry'], ...rows])
}

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const postgres = await openServer(makeFolder(cleanup), cleanup)
  const bench = await postgres.create('audit')
  await migrate(connectionOf(bench.url), async () => {})
  console.log(`Writing ${whole(entries)} entries`)
  // No statement takes longer than a transaction may.
  for (let from = 1; from <= entries; from += entries / 20) await bench.run(fillWith(from, from + entries / 20 - 1))
  await bench.run('vacuum analyze audit_entries')
  console.log('Reading pages')
  const pages = await measurePages(bench)
  console.log('Writing, without one index after the other')
  const costs = await measureIndexes(bench)
  report('audit', `${machine}, ${postgres.description}`, method, ...pages, '**What the indexes cost a write**', costs)
})
