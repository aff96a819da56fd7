import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPublish } from '../../src/delivery/events/index.ts'
import { createEnqueue } from '../../src/delivery/queue/enqueue.ts'
import { removeEventCounts } from '../../src/delivery/statistics/index.ts'
import { type Database, openDatabase } from '../../src/ground/database/database.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { createCredentials } from '../../src/identity/credentials/index.ts'
import { endStalledFlows } from '../../src/identity/sign-in/index.ts'
import type { Going } from '../support/browser.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import { otherClient } from '../support/upstreams.ts'

const hourMs = 3_600_000
const callback = /\/sso\/callback\//
const idp = otherClient.clientId

let signIns: SignIns
let database: Database
let tenant: Tenant

beforeAll(async () => {
  signIns = await startSignIns()
  database = openDatabase(signIns.connection)
  tenant = await signIns.tenant()
  await tenant.addCredential(providers.okta, { client_id: idp, client_secret: otherClient.clientSecret })
})

afterAll(async () => {
  await database?.close()
  await signIns?.stop()
})

async function attempt({ params, ...going }: Going & { params?: Record<string, string> } = {}) {
  const { url } = await tenant.application.begin(params)
  return tenant.browser.go(url, { person: ada, ...going })
}

/** As a node does every minute, an hour later. */
async function sweep() {
  const clock = { now: () => signIns.clock.now() + hourMs }
  const credentials = createCredentials({ database, clock, keyring: makeKeyring(signIns.masterKey) })
  const publish = createPublish({ clock, enqueue: createEnqueue({ wake: () => {} }), tracer: untraced })
  const log = { info: () => {}, error: () => {} }
  const swept = { database, clock, credentials, publish, onOutcome: () => {}, log }
  await endStalledFlows(swept, new AbortController().signal)
}

type SignInCount = { outcome: string; provider: string | null; count: number }

/** How many sign-ins the statistics have by outcome and provider. */
async function counted() {
  const at = (hours: number) => new Date(signIns.clock.now() + hours * hourMs).toISOString()
  const query = new URLSearchParams({ since: at(-1), until: at(3), step: '24h' })
  const path = `/organizations/statistics?${query}`
  const { events, sign_ins } = (await signIns.service.as(tenant.organization, 'GET', path)).body.result
  const counts: [string, number][] = sign_ins.map(({ outcome, provider, count }: SignInCount) => [
    `${outcome} ${provider}`,
    count,
  ])
  expect(new Set(counts.map(([name]) => name)).size).toBe(counts.length)
  const published = events.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  return { published, ...Object.fromEntries(counts) }
}

test('The statistics have sign-ins by the provider that was chosen, however they ended', async () => {
  await tenant.application.signIn(tenant.browser, { person: ada, params: { idp: 'signet' } })
  // With the session.
  await tenant.application.signIn(tenant.browser, { params: { idp: 'signet' } })
  await tenant.application.signIn(tenant.browser, { person: ada, params: { idp } })
  await attempt({ params: { idp, prompt: 'login' }, person: { ...ada, refuse: true } })
  const page = await attempt({ params: { prompt: 'login' } })
  await tenant.browser.go(page.url, { form: { cancel: 'yes' } })
  const left = await attempt({ params: { prompt: 'login' } })
  const [, credential = ''] = /value="([^"]+)">signet</.exec(left.html) ?? []
  await tenant.browser.go(left.url, { form: { credential }, person: ada, stopAt: callback })
  await sweep()
  await signIns.service.as(tenant.organization, 'POST', '/test-events', [{ event_name: 'AuthenticationSucceeded_v1' }])
  expect(await counted()).toEqual({
    // With those of two new persons and the test event.
    published: 9,
    'succeeded provider_a': 2,
    'succeeded provider_h': 1,
    'oidc_access_denied provider_h': 1,
    'flow_cancelled null': 1,
    'flow_expired provider_a': 1,
  })
})

test('What a process of an earlier release counts has no provider', async () => {
  const before = await counted()
  await signIns.inside.query(
    `insert into event_counts as c (org_id, minute, name, outcome, method, count)
     values ($1, date_trunc('minute', now()), 'AuthenticationSucceeded_v1', 'succeeded', 'oidc', 4)
     on conflict (org_id, minute, name, outcome, method) do update set count = c.count + excluded.count`,
    [tenant.organization.id],
  )
  expect(await counted()).toEqual({ ...before, published: before.published + 4, 'succeeded null': 4 })
})

test('The counts by provider are removed with those of the events', async () => {
  const later = new Date(signIns.clock.now() + 4 * hourMs).toISOString()
  expect(await removeEventCounts(database.write, later, 1)).toBe(1)
  while ((await removeEventCounts(database.write, later, 1)) === 1);
  expect(await counted()).toEqual({ published: 0 })
  expect((await signIns.inside.query('select from provider_counts')).rowCount).toBe(0)
})
