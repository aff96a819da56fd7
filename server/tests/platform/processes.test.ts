import { hostname } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { version } from '../../src/ground/runtime/version.ts'
import { administer, type Connection, testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'

const minute = 60_000
const keyring = makeKeyring()
const begin = Date.now()
let now = begin
let database: Connection & { drop(): Promise<void> }
let receiver: Receiver
const services: Service[] = []

beforeAll(async () => {
  ;[database, receiver] = await Promise.all([testDatabase(), startReceiver()])
})
afterAll(async () => {
  await Promise.all(services.map(({ stop }) => stop()))
  await Promise.all([database.drop(), receiver.stop()])
})

async function start(env: Record<string, string> = {}) {
  const service = await startService({ connection: database, receiver, keyring, clock: { now: () => now }, env })
  services.push(service)
  return service
}

type Listed = { id: string; state: string; roles: string[]; event_streams: number; seen_at: string }

async function listed(service: Service, query = '') {
  const { body } = await service.operate('GET', `/processes${query}`)
  return { items: body.result as Listed[], total: body.meta.pagination.total_count as number }
}
const statesSeenBy = async (service: Service) => (await listed(service)).items.map(({ state }) => state)
const untilListed = (service: Service, states: string[]) => expect.poll(() => statesSeenBy(service)).toEqual(states)

test('A process is listed while it lives, is lost when it gives no sign of life, and is removed an hour later', async () => {
  const first = await start()
  await untilListed(first, ['alive'])
  const second = await start({ SIGNET_ROLES: 'api', SIGNET_REGION: 'us', SIGNET_REGIONS: 'us' })
  await untilListed(first, ['alive', 'alive'])
  const { items } = await listed(second)
  const started = new Date(begin).toISOString()
  const common = { host: hostname(), pid: process.pid, version, started_at: started, seen_at: started }
  const idle = { state: 'alive', deliveries_in_flight: 0, event_streams: 0 }
  expect(items).toEqual([
    { ...common, ...idle, id: items[0]?.id, region: 'local', roles: ['api', 'worker'] },
    { ...common, ...idle, id: items[1]?.id, region: 'us', roles: ['api'] },
  ])
  expect(await listed(first, '?limit=1&offset=1')).toEqual({ items: [items[1]], total: 2 })

  await services.pop()?.stop()
  expect(await statesSeenBy(first)).toEqual(['alive'])

  now = begin + 2.5 * minute
  expect(await statesSeenBy(first)).toEqual(['alive'])
  now += 1
  expect(await statesSeenBy(first)).toEqual(['lost'])
  now = begin + 60 * minute
  const third = await start()
  await untilListed(third, ['lost', 'alive'])
  // Its own sign of life comes once a minute of real time.
  now += 1
  expect(await statesSeenBy(third)).toEqual(['alive'])
  const fourth = await start()
  await untilListed(fourth, ['alive', 'alive'])
  // The first one's row is gone, too.
  const { rows } = await administer(database, 'select count(*)::int as count from processes')
  expect(rows).toEqual([{ count: 2 }])
})

test('A service without other regions lists its own, the primary', async () => {
  const service = await start()
  const local = { name: 'local', is_local: true, state: 'primary', replay_lag_seconds: 0, replay_lag_bytes: 0 }
  expect(await service.operate('GET', '/regions')).toMatchObject({ status: 200, body: { result: [local] } })
})

test('A key of an organization sees neither processes nor regions', async () => {
  const [service] = services as [Service]
  const organization = await service.organization()
  for (const path of ['/processes', '/regions'])
    expect(await service.as(organization, 'GET', path)).toMatchObject({ status: 401 })
})
