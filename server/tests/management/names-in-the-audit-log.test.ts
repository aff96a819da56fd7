import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Administrator, makeAdministrator, signInAdministrator } from '../support/administrators.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

let signet: OwnSignet
let inside: pg.Client

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api' } })
  inside = new pg.Client(signet.database)
  await inside.connect()
})
afterAll(async () => {
  await inside?.end()
  await signet?.stop()
})

const make = async (organization: Organization, at: string, body: unknown) =>
  (await signet.as(organization, 'POST', at, body)).body.result
const entries = async (organization: Organization, query = '') =>
  (await signet.as(organization, 'GET', `/organizations/audit-log${query}`)).body.result
const newest = async (organization: Organization) => (await entries(organization, '?limit=1'))[0]
const callItself = ({ identityId }: Administrator, name: string) =>
  inside.query(
    `update identities set profile = jsonb_build_object('name', $2::text), updated_at = now() where id = $1`,
    [identityId, name],
  )
const keyWith = async (organization: Organization, scopes: string[]) => {
  const { api_key } = await make(organization, '/organizations/api-keys', { scopes })
  return { id: organization.id, apiKey: api_key }
}

test('What a person does is in the log by id, and has the name that the person has when it is read', async () => {
  const organization = await signet.organization()
  const ada = await makeAdministrator(signet, inside, organization, { role: 'owner' })
  await ada.call('POST', '/groups', { name: 'staff' })
  const actorNow = async () => (await entries(organization, '?action=createGroup&target=staff'))[0].actor
  expect(await actorNow()).toEqual({ type: 'person', id: ada.personId, name: null })
  const handles = [{ type: 'EmailAddress', value: 'ada@example.com' }]
  await signet.as(organization, 'PATCH', `/persons/${ada.personId}`, { handles })
  expect((await actorNow()).name).toBe('ada@example.com')
  await callItself(ada, 'Ada Lovelace')
  expect((await actorNow()).name).toBe('Ada Lovelace')
  const { rows } = await inside.query(`select actor_name from audit_entries where actor_type = 'person'`)
  expect(rows).toEqual([{ actor_name: null }])
  await signet.as(organization, 'DELETE', `/persons/${ada.personId}`)
  expect(await actorNow()).toEqual({ type: 'person', id: ada.personId, name: null })
})

test('Entries are found by the person who acted, by all persons, and by what was changed as well', async () => {
  const organization = await signet.organization()
  const ada = await makeAdministrator(signet, inside, organization, { role: 'owner' })
  const grace = await makeAdministrator(signet, inside, organization, { role: 'owner' })
  await ada.call('POST', '/groups', { name: 'staff' })
  await grace.call('PATCH', '/groups/staff', { description: 'New' })
  await grace.call('POST', '/groups', { name: 'crew' })
  const found = async (query: string) =>
    (await entries(organization, query)).map(
      ({ action, target }: never) => `${action} ${(target as { id: string }).id}`,
    )
  expect(await found(`?actor=${ada.personId}`)).toEqual(['createGroup staff'])
  expect(await found(`?actor=${grace.personId.toUpperCase()}&target=staff`)).toEqual(['changeGroup staff'])
  expect(await found('?actor=person')).toEqual(['createGroup crew', 'changeGroup staff', 'createGroup staff'])
  expect(await found('?target=staff')).toEqual(['changeGroup staff', 'createGroup staff'])
  expect(await found('?target=staff&action=createGroup&actor=person')).toEqual(['createGroup staff'])
  expect(await found('?target=staff&action=createGroup&actor=key')).toEqual([])
  expect(await found('?target=nobody')).toEqual([])
})

test('A key that may not read persons learns the name of none, as an actor or as a target', async () => {
  const organization = await signet.organization()
  const ada = await makeAdministrator(signet, inside, organization, { role: 'owner' })
  await callItself(ada, 'Ada Lovelace')
  await ada.call('POST', '/groups', { name: 'staff' })
  await ada.call('POST', `/persons/${ada.personId}/groups`, { groups: ['staff'] })
  const all = (await entries(organization)).filter(({ actor }: { actor: { type: string } }) => actor.type === 'person')
  expect(all[0]).toMatchObject({ actor: { name: 'Ada Lovelace' }, target: { type: 'person', name: 'Ada Lovelace' } })
  const narrow = await keyWith(organization, ['audit-log:read', 'groups:read'])
  const [entry] = (await entries(narrow)).filter(({ action }: { action: string }) => action === 'addPersonGroups')
  expect(entry.actor).toEqual({ type: 'person', id: ada.personId, name: null })
  expect(entry.target).toEqual({ type: 'person', id: ada.personId })
  expect(JSON.stringify(await entries(narrow))).not.toContain('Lovelace')
  expect(JSON.stringify(await entries(await keyWith(organization, ['audit-log:read', 'persons:read'])))).toContain(
    'Lovelace',
  )
})

test('A person of another organization is never named, whatever id an entry has', async () => {
  const [ours, theirs] = [await signet.organization(), await signet.organization()]
  const ada = await makeAdministrator(signet, inside, theirs, { role: 'owner' })
  await callItself(ada, 'Ada Lovelace')
  await inside.query(
    `insert into audit_entries (org_id, position, id, at, actor_type, actor_id, action, target_type, target_id)
     values ($1, nextval('positions'), gen_random_uuid(), now(), 'person', $2::uuid, 'changePerson', 'person', $2::text)`,
    [ours.id, ada.personId],
  )
  expect(await newest(ours)).toMatchObject({ actor: { name: null }, target: { id: ada.personId } })
  expect(JSON.stringify(await entries(ours))).not.toContain('Lovelace')
})

test('A target has the name that it had at that time, also when it is gone', async () => {
  const organization = await signet.organization()
  const webhook = await make(organization, '/organizations/webhooks', {
    name: 'Billing',
    target_url: 'https://a.example/',
  })
  const path = `/organizations/webhooks/${webhook.id}`
  await signet.as(organization, 'PATCH', path, { name: 'Invoices' })
  await signet.as(organization, 'POST', `${path}/triggers`, { trigger_type: 'event', trigger_name: 'PersonCreated_v1' })
  // A trigger has the name that its webhook has now.
  const names = async () =>
    (await entries(organization, `?target=${webhook.id}`)).map(
      ({ action, target }: { action: string; target: { name?: string } }) => [action, target.name],
    )
  expect(await names()).toEqual([
    ['createTrigger', 'Invoices'],
    ['changeWebhook', 'Billing'],
    ['createWebhook', 'Billing'],
  ])
  await signet.as(organization, 'DELETE', path)
  expect(await names()).toEqual([
    ['deleteWebhook', 'Invoices'],
    ['createTrigger', undefined],
    ['changeWebhook', 'Billing'],
    ['createWebhook', 'Billing'],
  ])
})

test('A session that somebody else ended is named by whose it was', async () => {
  const organization = await signet.organization()
  const ada = await makeAdministrator(signet, inside, organization, { role: 'owner' })
  const grace = await makeAdministrator(signet, inside, organization, { role: 'owner' })
  await callItself(ada, 'Ada Lovelace')
  await callItself(grace, 'Grace Hopper')
  const other = await signInAdministrator(signet, inside, organization, ada.personId)
  const ended = await grace.call('DELETE', `/organizations/console-sessions/${other.sessionId}`)
  expect(ended.status).toBe(204)
  expect(await newest(organization)).toMatchObject({
    actor: { type: 'person', name: 'Grace Hopper' },
    target: { type: 'console_session', id: other.sessionId, name: 'Ada Lovelace' },
  })
})
