// `npm run bench:feed`: at what rate one reader drains the feed, against the same pages read as text by the bare client of the
// database; whether a page at the end costs what one at the start costs; and the memory of the service meanwhile.
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import pg from 'pg'
import { connectionOf } from '../server/src/ground/database/connection.ts'
import { makePartitions } from '../server/src/ground/database/day-partitions.ts'
import { firstIdAt } from '../server/src/ground/runtime/identifiers.ts'
import type { Credentials } from './support/exchange.ts'
import { figureOf, percent, quantile, show, table, whole } from './support/figures.ts'
import { makeOrganization } from './support/organizations.ts'
import { type BenchDatabase, openServer } from './support/postgres.ts'
import { residentOf } from './support/processes.ts'
import { orQuick } from './support/quick.ts'
import { describeMachine, report } from './support/report.ts'
import { makeFolder, type Signet, settingsOn, startSignet, withCleanup } from './support/signet.ts'

const events = orQuick(1_000_000, 20_000)
const rounds = orQuick(3, 1)
const pageSize = 1_000
const payloadCharacters = 780
const aim = 0.7

const method = `${whole(events)} events of one organization, ${payloadCharacters} characters each, read from the first to the last in pages of ${whole(pageSize)} by one
reader: over HTTP from Signet (\`GET /events\`, each page parsed as text only), and by \`pg\` with the page's statement alone. ${rounds} rounds
by turns after a warm-up; medians (least–most). A page's time is the mean of the first and of the last twentieth of all pages.`

type Walk = { rate: number; pages: number[] }
type Measured = Walk & { resident: number }

async function fill({ database, run }: BenchDatabase, { organizationId }: Credentials) {
  await makePartitions(database, Date.now())
  const id = firstIdAt(Date.now()).slice(0, 24)
  await run(`
    with drawn as materialized (select next_place() as first)
    insert into events (org_id, id, name, payload, place)
    select '${organizationId}', ('${id}' || to_char(i, 'fm000000000000'))::uuid, 'PersonCreated_v1',
           '{"text":"' || repeat('x', ${payloadCharacters - 11}) || '"}', case when first > 0 then nextval('places') end
      from drawn, generate_series(1, ${events}) i order by i`)
  await run('vacuum analyze events')
}

async function walk(page: (after: string | undefined) => Promise<{ next: string; count: number }>): Promise<Walk> {
  const pages: number[] = []
  let after: string | undefined
  const began = performance.now()
  for (let read = 0; read < events; ) {
    const at = performance.now()
    const { next, count } = await page(after)
    pages.push(performance.now() - at)
    after = next
    read += count
  }
  return { rate: (events / (performance.now() - began)) * 1_000, pages }
}

/** The cheapest client there is: of a page only its end is read. */
const pageOfFeed = ({ port }: Signet, { organizationId, apiKey }: Credentials) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { 'service-orgid': organizationId, 'service-api-key': apiKey }
  return async (after: string | undefined) => {
    const path = `/events?limit=${pageSize}${after === undefined ? '' : `&after=${after}`}`
    const [response] = (await once(get({ host: '127.0.0.1', port, path, headers, agent }), 'response')) as [
      IncomingMessage,
    ]
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(response, 'end')
    const end = Buffer.concat(chunks.slice(-2)).toString('latin1').slice(-300)
    const [, next = ''] = /"next":"([\w-]+)","has_more":(?:true|false)\}\}$/.exec(end) ?? []
    if (next === '' || next === after) throw new Error(`no page: ${end}`)
    return { next, count: pageSize }
  }
}

/** Values stay text: nothing but the client itself. */
const pageOfClient =
  (client: pg.Client, { organizationId }: Credentials) =>
  async (after: string | undefined) => {
    const text = 'select place, payload from events where org_id = $1 and place > $2 order by place limit $3'
    const values = [organizationId, after ?? '0', pageSize]
    const { rows } = await client.query<[string, string]>({
      name: 'page',
      text,
      values,
      rowMode: 'array',
      types: asText,
    })
    return { next: rows.at(-1)?.[0] ?? '', count: rows.length }
  }
const asText = { getTypeParser: () => (value: unknown) => value } as unknown as pg.CustomTypesConfig

const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const twentieth = ({ pages }: Walk) => Math.max(1, Math.floor(pages.length / 20))
const endAgainstStart = (its: Walk) =>
  meanOf(its.pages.slice(-twentieth(its))) / meanOf(its.pages.slice(0, twentieth(its)))

await withCleanup(async (cleanup) => {
  const machine = describeMachine()
  const folder = makeFolder(cleanup)
  const postgres = await openServer(folder, cleanup)
  const database = await postgres.create('feed')
  const signet = await startSignet(folder, cleanup, settingsOn(database.url))
  const organization = await makeOrganization(signet)
  console.log(`Writing ${whole(events)} events`)
  await fill(database, organization)
  const client = new pg.Client(connectionOf(database.url) as pg.ClientConfig)
  await client.connect()
  cleanup.defer(() => client.end())
  await client.query(`set jit = off; set enable_seqscan = off; set random_page_cost = 1.1`)

  const feed: Measured[] = []
  const bare: Walk[] = []
  for (let round = 0; round <= rounds; round++) {
    const one = await walk(pageOfFeed(signet, organization))
    const other = await walk(pageOfClient(client, organization))
    console.log(`round ${round}: feed ${whole(one.rate)}, bare client ${whole(other.rate)} events/s`)
    if (round === 0) continue
    feed.push({ ...one, resident: residentOf(signet.pid) })
    bare.push(other)
  }
  const ratio = figureOf(feed.map(({ rate }, round) => rate / (bare[round]?.rate ?? Number.NaN)))
  const row = (title: string, its: Walk[], share: string) => [
    title,
    show(figureOf(its.map(({ rate }) => rate))),
    share,
    show(figureOf(its.map(({ pages }) => quantile(pages, 0.5))), (value) => `${value.toFixed(1)} ms`),
    show(figureOf(its.map(endAgainstStart)), (value) => value.toFixed(2)),
  ]
  report(
    'feed',
    `${machine}, ${postgres.description}`,
    method,
    table([
      ['', 'events/s', 'of the bare client', 'a page, median', 'last pages against first'],
      row('bare client', bare, ''),
      row('feed', feed, show(ratio, percent)),
    ]),
    `Of the rate of the bare client: ${percent(ratio.median)}, the target is ${percent(aim)} or more: ${ratio.median >= aim ? 'met' : 'NOT met'}. Memory of Signet after
each walk: ${feed.map(({ resident }) => `${whole(resident / 2 ** 20)} MiB`).join(', ')}.`,
  )
})
