import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { signInAdministrator, waitingStatements } from '../support/administrators.ts'
import { openBrowser } from '../support/browser.ts'
import { hook } from '../support/claim-attempts.ts'
import { ada, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

let signIns: SignIns
let tenant: Tenant
let inside: pg.Client

beforeAll(async () => {
  signIns = await startSignIns()
  inside = new pg.Client(signIns.connection)
  await inside.connect()
})
beforeEach(async () => {
  tenant = await signIns.tenant()
})
afterAll(async () => {
  await inside?.end()
  await signIns?.stop()
})

const as = (method: string, path: string, body?: unknown) => signIns.service.as(tenant.organization, method, path, body)
const make = async (path: string, body: unknown) => (await as('POST', path, body)).body.result
const settings = (body: object) => as('PATCH', '/organizations/settings', body)
const access = (role: Role = 'owner') => settings({ console_access: [{ group: 'admins', role }] })
const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
const signIn = () =>
  tenant.application.signIn(
    openBrowser(() => signIns.service.baseUrl),
    { person: ada },
  )
const identitiesOf = async (id: string) => (await as('GET', `/persons/${id}/identities`)).body.result

describe('Members of a guarded group', () => {
  test('A confirmed address joins nobody to a member of a guarded group, whatever the settings: it is a new person', async () => {
    await settings({ link_by_verified_email: true })
    await make('/groups', { name: 'admins' })
    const { person_id: id } = await make('/persons', { handles, groups: ['admins'] })
    await access()
    const { sub } = await signIn()
    expect(sub).not.toBe(id)
    expect(await identitiesOf(id)).toEqual([])
    expect((await as('GET', `/persons/${sub}`)).body.result.groups).toEqual([])
  })

  test('Where nobody registers, such a sign-in is refused as that of somebody unknown', async () => {
    await settings({ link_by_verified_email: true, self_registration: false })
    await make('/groups', { name: 'admins' })
    await make('/persons', { handles, groups: ['admins'] })
    await access('reader')
    await expect(signIn()).rejects.toThrow()
    expect(await tenant.endings()).toEqual(['registration_not_allowed'])
  })

  test('Out of the group, the person is joined by the address as before', async () => {
    await settings({ link_by_verified_email: true })
    await make('/groups', { name: 'admins' })
    const { person_id: id } = await make('/persons', { handles, groups: ['admins'] })
    await access()
    await as('DELETE', `/groups/admins/persons/${id}`)
    expect((await signIn()).sub).toBe(id)
  })

  test.each(['the group becomes guarded', 'the person enters a guarded group'])(
    'A sign-in that would join them by the address is of a new person where %s before it is written',
    async (what) => {
      await settings({ link_by_verified_email: true })
      await make('/groups', { name: 'admins' })
      const { person_id: id } = await make('/persons', { handles, groups: what.includes('becomes') ? ['admins'] : [] })
      if (!what.includes('becomes')) await access()
      const path = `/${tenant.organization.id}/hook`
      // A hook is called after the person was recognised, and before the sign-in is written.
      signIns.receiver.behave(path, { body: '{}', together: 2 })
      const webhook = await addWebhook(signIns.service, tenant.organization, signIns.receiver.url(path))
      await make(`/organizations/webhooks/${webhook}/triggers`, hook)
      const signingIn = signIn()
      await signIns.receiver.waitFor(path, 1)
      if (what.includes('becomes')) await access()
      else await as('POST', '/groups/admins/persons', { persons: [id] })
      // The second request, for which the first one waits.
      await as('POST', `/organizations/webhooks/${webhook}/dry-run`)
      expect((await signingIn).sub).not.toBe(id)
      expect(await identitiesOf(id)).toEqual([])
    },
  )
})

test('A sign-in that is being written waits for a group that is being named, and is then of a new person', async () => {
  await settings({ link_by_verified_email: true })
  await make('/groups', { name: 'admins' })
  const { person_id: id } = await make('/persons', { handles, groups: ['admins'] })
  const { id: org } = tenant.organization
  await inside.query('begin')
  await inside.query(`select pg_advisory_xact_lock(1936291043, hashtext('${org}'))`)
  await inside.query(`insert into console_access values ('${org}', 'admins', 'reader')`)
  const signingIn = signIn()
  const count = async () => (await inside.query(waitingStatements)).rows[0].count
  await expect.poll(count, { timeout: 30_000 }).toBe(1)
  await inside.query('commit')
  expect((await signingIn).sub).not.toBe(id)
  expect(await identitiesOf(id)).toEqual([])
})

test('A hook that says groups and roles makes nobody an owner: what counts are the groups of the database', async () => {
  const path = `/${tenant.organization.id}/lying`
  signIns.receiver.behave(path, {
    body: JSON.stringify({ groups: ['admins'], roles: ['owner'], role: 'owner', console_access: 'owner' }),
  })
  const webhook = await addWebhook(signIns.service, tenant.organization, signIns.receiver.url(path))
  await make(`/organizations/webhooks/${webhook}/triggers`, hook)
  await make('/groups', { name: 'admins' })
  await access()
  const { sub } = await signIn()
  const { call } = await signInAdministrator(signIns.service, inside, tenant.organization, sub as string, {
    isSecure: true,
  })
  expect((await call('GET', '/groups')).status).toBe(401)
  await as('POST', '/groups/admins/persons', { persons: [sub] })
  expect((await call('GET', '/groups')).status).toBe(200)
})
