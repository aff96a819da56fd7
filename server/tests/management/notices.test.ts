import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayMs as day } from '../../src/ground/runtime/clock.ts'
import { testDatabase } from '../support/database.ts'
import { startPushing } from '../support/pushing.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { prepareWakeUp } from '../support/wake-worker.ts'
import { addWebhook } from '../support/webhooks.ts'

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service
let organization: Organization
let wakeWorker: Awaited<ReturnType<typeof prepareWakeUp>>
let path: string

/** Of today. */
const noon = Math.floor(Date.now() / day) * day + day / 2
/** Stands still, and moves when a test moves it. */
const clock = { now: () => now }
let now: number
const at = (ms: number) => new Date(ms).toISOString()

beforeAll(async () => {
  now = noon
  receiver = await startReceiver()
  database = await testDatabase()
  service = await startService({ connection: database, receiver, clock, keyring: makeKeyring() })
  wakeWorker = await prepareWakeUp(service, receiver)
})

afterAll(async () => {
  await Promise.all([service?.stop(), receiver?.stop()])
  await database?.drop()
})

beforeEach(async () => {
  now = noon
  organization = await service.organization()
  path = `/${organization.id}/hook`
})

const make = async (address: string, body: unknown, by = organization) => {
  const answer = await service.as(by, 'POST', address, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body.result
}
const narrow = async (...scopes: string[]): Promise<Organization> => ({
  id: organization.id,
  apiKey: (await make('/organizations/api-keys', { name: 'Narrow', scopes })).api_key,
})
const notices = async (by = organization) => (await service.as(by, 'GET', '/organizations/notices')).body.result

const publish = async () => (await make('/test-events', [{ event_name: 'PersonCreated_v1' }]))[0].event_id
test('Where nothing needs attention there is no notice', async () => {
  await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
  expect(await notices()).toEqual([])
})

describe('Webhooks', () => {
  test('A webhook whose newest attempt failed is told of, with what was wrong, until one succeeds', async () => {
    receiver.behave(path, { status: 500 })
    const id = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'], { name: 'Records' })
    await publish()
    await expect
      .poll(() => notices())
      .toEqual([
        {
          kind: 'webhook_failing',
          since: at(noon),
          target: { type: 'webhook', id, name: 'Records' },
          failing_since: at(noon),
          pending: 1,
          last_error: { at: at(noon), status_code: 500, count: 1 },
        },
      ])
    receiver.behave(path, { status: 200 })
    now += 60_000
    await wakeWorker()
    await expect.poll(() => notices()).toEqual([])
  })

  test('A webhook that is paused is told of, with why, since when, what it holds and what failed last', async () => {
    receiver.behave(path, { status: 500 })
    const id = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'], { name: 'Records' })
    await publish()
    await expect.poll(() => notices()).toMatchObject([{ kind: 'webhook_failing' }])
    now += 5_000
    await service.as(organization, 'PATCH', `/organizations/webhooks/${id}`, { enabled: false })
    await publish()
    expect(await notices()).toEqual([
      {
        kind: 'webhook_paused',
        since: at(noon + 5_000),
        target: { type: 'webhook', id, name: 'Records' },
        paused_reason: 'requested',
        failing_since: at(noon),
        held: 2,
        last_error: { at: at(noon), status_code: 500, count: 1 },
      },
    ])
    await service.as(organization, 'PATCH', `/organizations/webhooks/${id}`, { enabled: true })
    expect(await notices()).not.toMatchObject([{ kind: 'webhook_paused' }])
  })

  test('Of more webhooks than are listed the newest are, and the last one says that there are more', async () => {
    for (let n = 0; n < 51; n += 1) {
      const id = await addWebhook(service, organization, `https://${organization.id}-${n}.example.com/`)
      now += 1_000
      await service.as(organization, 'PATCH', `/organizations/webhooks/${id}`, { enabled: false })
    }
    const listed = await notices()
    expect(listed).toHaveLength(50)
    expect(listed[0].since).toBe(at(now))
    expect(listed.map(({ has_more }: { has_more?: boolean }) => has_more ?? false)).toEqual([
      ...Array(49).fill(false),
      true,
    ])
  })
})

describe('What expires', () => {
  test('An API key is told of from 14 days before its end until 7 days after it', async () => {
    const end = noon + 30 * day
    const { id } = await make('/organizations/api-keys', { name: 'Job', read_only: true, expires_at: at(end) })
    const notice = {
      kind: 'api_key_expires',
      since: at(end - 14 * day),
      target: { type: 'api_key', id, name: 'Job' },
      expires_at: at(end),
    }
    now = end - 14 * day - 1
    expect(await notices()).toEqual([])
    now = end - 14 * day
    expect(await notices()).toEqual([notice])
    now = end + 7 * day - 1
    expect(await notices()).toEqual([notice])
    now = end + 7 * day
    expect(await notices()).toEqual([])
  })

  test('Of more keys than are listed those that expire soonest are, before those that have expired', async () => {
    const expiring = async (ms: number) =>
      (await make('/organizations/api-keys', { read_only: true, expires_at: at(now + ms) })).id
    const [late, soon, past] = [await expiring(9 * day), await expiring(8 * day), await expiring(day)]
    for (let n = 0; n < 50; n += 1) await expiring(day - 60_000)
    now += 2 * day
    const listed = await notices()
    const ids = listed.map(({ target }: { target: { id: string } }) => target.id)
    expect(ids.slice(0, 3)).toEqual([soon, late, past])
    expect(listed).toHaveLength(50)
    expect(listed.at(-1)).toMatchObject({ has_more: true })
  })

  test('An application is told of where its last client secret expires, and not where another one goes on', async () => {
    const { client_id } = await make('/organizations/applications', {
      name: 'Portal',
      confidential: true,
      redirect_uris: ['https://portal.example.com/'],
    })
    const secrets = `/organizations/applications/${client_id}/secrets`
    const [first] = (await service.as(organization, 'GET', secrets)).body.result
    const end = now + 10 * day
    const short = await make(secrets, { expires_at: at(end) })
    expect(await notices()).toEqual([])
    await service.as(organization, 'DELETE', `${secrets}/${first.id}`)
    const target = { type: 'application', id: client_id, name: 'Portal' }
    const notice = { kind: 'client_secret_expires', since: at(noon), target, expires_at: at(end), secret_id: short.id }
    expect(await notices()).toEqual([notice])
    await make(secrets, { expires_at: at(now + 100 * day) })
    expect(await notices()).toEqual([])
  })
})

const credentials = '/organizations/sso/oidc/provider-credentials'
const ofClient = { client_id: 'client', client_secret: 'secret', provider: 'provider_a', label: 'Google' }

test('A credential waits from a narrow key until an admin key confirms it or says that it stays off', async () => {
  await make(credentials, ofClient, await narrow('credentials:write'))
  const target = { type: 'oidc_credential', id: 'client', name: 'Google' }
  const notice = { kind: 'credential_waits', since: at(noon), target, provider: 'provider_a', waits_for: 'key' }
  expect(await notices()).toEqual([notice])
  await service.as(organization, 'PATCH', `${credentials}/client`, { label: 'Google' })
  expect(await notices()).toEqual([notice])
  await service.as(organization, 'PATCH', `${credentials}/client`, { active: true })
  expect(await notices()).toEqual([])
  await service.as(organization, 'PATCH', `${credentials}/client`, { active: false })
  expect(await notices()).toEqual([])
})

test('A credential that a narrow key points elsewhere waits, until an admin key says that it stays off', async () => {
  const tenant = (n: number) => ({ options: { provider_g: { tenant: `00000000-0000-4000-8000-00000000000${n}` } } })
  await make(credentials, { ...ofClient, provider: 'provider_g', ...tenant(1) })
  expect(await notices()).toEqual([])
  const key = await narrow('credentials:write')
  expect(await service.as(key, 'PATCH', `${credentials}/client`, tenant(2))).toMatchObject({ status: 200 })
  expect(await notices()).toMatchObject([{ kind: 'credential_waits', since: at(noon), waits_for: 'key' }])
  await service.as(organization, 'PATCH', `${credentials}/client`, { active: false })
  expect(await notices()).toEqual([])
})

test('A credential waits since a customer used a link', async () => {
  const { url } = await make('/organizations/sso/oidc/credential-links', { provider: 'provider_a', label: 'Google' })
  now += 60_000
  const body = { token: new URL(url).hash.slice(1), client_id: 'client', client_secret: 'secret' }
  expect(await service.call('POST', '/console/link/credential', {}, body)).toMatchObject({ status: 201 })
  expect(await notices()).toMatchObject([{ kind: 'credential_waits', since: at(now), waits_for: 'link' }])
})

test('A directory is told of for a week once it adopts persons, and where a token of it expires', async () => {
  const corp = await startPushing(service, organization, { adopt: true, email_domains: ['corp.example'] })
  const target = { type: 'directory', id: corp.id, name: 'Corp staff' }
  expect(await notices()).toEqual([])
  for (const name of ['jo', 'al']) {
    const value = `${name}@corp.example`
    await make('/persons', { handles: [{ type: 'EmailAddress', value, verified: true }] })
    await corp.push({ userName: name, emails: [{ value }] })
    now += 60_000
  }
  await corp.push({ userName: 'new' })
  const adopted = { kind: 'persons_adopted', since: at(noon), target, adopted: 2 }
  expect(await notices()).toEqual([adopted])
  const end = now + 20 * day
  const { id: token_id } = await make(`/organizations/directories/${corp.id}/tokens`, { expires_at: at(end) })
  now += 6 * day
  const expiring = { kind: 'directory_token_expires', since: at(end - 14 * day), target, token_id, expires_at: at(end) }
  expect(await notices()).toEqual([expiring, adopted])
  now += 2 * day
  expect(await notices()).toEqual([expiring])
  expect(await notices(await narrow('webhooks:read'))).toEqual([])
  expect(await notices(await narrow('webhooks:read', 'directories:read'))).toEqual([expiring])
})

test('A quota is told of once nine tenths of it are used', async () => {
  organization = await service.organization({ pricing_tier: 'free' })
  for (let n = 1; n <= 8; n += 1) await make('/groups', { name: `group-${n}` })
  expect(await notices()).toEqual([])
  await make('/groups', { name: 'group-9' })
  expect(await notices()).toEqual([
    { kind: 'quota_nearly_full', target: { type: 'quota', id: 'groups' }, used: 9, limit: 10 },
  ])
})

test('Whoever lacks the scope of a thing is not told of it', async () => {
  organization = await service.organization({ pricing_tier: 'free' })
  for (let n = 1; n <= 9; n += 1) await make('/groups', { name: `group-${n}` })
  const webhook = await addWebhook(service, organization, `https://${organization.id}.example.com/`)
  await service.as(organization, 'PATCH', `/organizations/webhooks/${webhook}`, { enabled: false })
  await make(credentials, ofClient, await narrow('credentials:write'))
  await make('/organizations/api-keys', { read_only: true, expires_at: at(now + day) })
  const application = { name: 'Portal', confidential: true, redirect_uris: ['https://portal.example.com/'] }
  const { client_id } = await make('/organizations/applications', application)
  const secrets = `/organizations/applications/${client_id}/secrets`
  const [first] = (await service.as(organization, 'GET', secrets)).body.result
  await make(secrets, { expires_at: at(now + day) })
  await service.as(organization, 'DELETE', `${secrets}/${first.id}`)
  const kindsFor = async (...scopes: string[]) => {
    const kinds = (await notices(await narrow('webhooks:read', ...scopes))).map(({ kind }: { kind: string }) => kind)
    return kinds.filter((kind: string) => kind !== 'webhook_paused')
  }
  expect(await kindsFor()).toEqual([])
  expect(await kindsFor('credentials:read')).toEqual(['credential_waits'])
  expect(await kindsFor('applications:write')).toEqual(['client_secret_expires'])
  expect(await kindsFor('api-keys:read')).toEqual(['api_key_expires'])
  expect(await kindsFor('settings:read')).toEqual(['quota_nearly_full'])
  expect(await notices(await narrow('webhooks:write'))).toMatchObject([{ kind: 'webhook_paused' }])
  const others = await narrow('settings:read')
  expect(await service.as(others, 'GET', '/organizations/notices')).toMatchObject({ status: 403 })
})
