import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, type TestContext, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { openStream } from '../../support/event-stream.ts'
import { openFeed, publishOn, queriesOf } from '../../support/feed.ts'
import { type Program, run } from '../../support/program.ts'
import { type Organization, type Signet, startOwnSignet, startSignet } from '../../support/signet.ts'

const writingMs = 10_000
const env = { SIGNET_RATE_TEST_EVENTS: '100000/100000' }
const credentials = ({ id, apiKey }: Organization) => ({ 'service-orgid': id, 'service-api-key': apiKey })
const start = (context: TestContext, name: string, task: object) =>
  run(
    context,
    [process.execPath, join(import.meta.dirname, `../../support/feed-${name}-process.ts`), JSON.stringify(task)],
    {},
  )

/** Tests of the writers' own have a label only. */
const labelOf = (event: string | { event_metadata: { event_id: string } }) =>
  typeof event === 'string' ? event : event.event_metadata.event_id

async function linesOf(program: Program): Promise<string[]> {
  expect(await program.ended, program.output().slice(-2_000)).toBe(0)
  return program.output().split('\n').filter(Boolean)
}

/** Through the interface, as long as the writers write. */
async function publish(at: Signet, organization: Organization, until: number): Promise<string[]> {
  const ids: string[] = []
  while (performance.now() < until) {
    const tests = Array(1 + Math.floor(Math.random() * 10)).fill({ event_name: 'PersonCreated' })
    const { body } = await at.as(organization, 'POST', '/test-events', tests)
    ids.push(...body.result.map(({ event_id }: { event_id: string }) => event_id))
    await wait(Math.random() * 50)
  }
  return ids
}

/** A transaction of another database that has published and stays open. */
async function holdElsewhere(context: TestContext, organizationId: string) {
  const neighbour = await testDatabase()
  const world = await openFeed(neighbour)
  context.onTestFinished(() => world.drop().then(neighbour.drop))
  const holder = await world.connect()
  await holder.query('begin')
  await publishOn(queriesOf(holder), organizationId, ['elsewhere'])
}

test('Readers of two processes, by page and live, get what three kinds of writers commit, once and all in the same order', async (context) => {
  const first = await startOwnSignet({ env })
  context.onTestFinished(async () => void (await first.stop()))
  const second = await startSignet({ databaseUrl: first.database.url, env: { ...env, SIGNET_BASE_URL: first.baseUrl } })
  context.onTestFinished(() => second.kill())
  const organization = await first.organization()
  await holdElsewhere(context, organization.id)
  const headers = credentials(organization)
  const readers = [
    start(context, 'reader', { baseUrl: first.baseUrl, headers, limit: 30 }),
    start(context, 'reader', { baseUrl: second.baseUrl, headers, limit: 100 }),
  ]
  const live = await Promise.all([first, second].map(({ baseUrl }) => openStream(`${baseUrl}/events`, { headers })))
  await Promise.all(readers.map((reader) => reader.says(/reads/)))
  const task = { connection: first.database, organizationId: organization.id, writers: 14, ms: writingMs }
  const writers = ['a', 'b'].map((name) => start(context, 'writer', { ...task, name }))
  const until = performance.now() + writingMs
  const published = await Promise.all([first, second].map((signet) => publish(signet, organization, until)))
  const committed = (await Promise.all(writers.map(linesOf))).flat()
  const all = [...published.flat(), ...committed]
  for (const { pid } of readers) process.kill(pid, 'SIGTERM')
  const read = (await Promise.all(readers.map(linesOf))).map((lines) =>
    lines.slice(1).map((line) => labelOf(JSON.parse(line))),
  )
  // Some of them only: to print all that is missing takes minutes.
  const [pages = []] = read
  const known = new Set(pages)
  expect(all.filter((label) => !known.has(label)).slice(0, 10)).toEqual([])
  expect(pages).toHaveLength(all.length)
  for (const client of live) {
    await client.waitFor(all.length, 60_000)
    read.push(client.messages().map(({ data }) => labelOf(JSON.parse(data))))
    client.cut()
  }
  console.log(`${all.length} events, of which ${committed.length} in transactions that were held open`)
  expect(committed.length).toBeGreaterThan(2_000)
  for (const labels of read) expect(labels.findIndex((label, index) => label !== pages[index])).toBe(-1)
  for (const labels of read) expect(labels).toHaveLength(pages.length)
})
