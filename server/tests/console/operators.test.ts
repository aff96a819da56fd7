import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { allScopes } from '../../src/ground/http/chain/scopes.ts'
import type { ConsoleService } from '../support/console.ts'
import { ownPage } from '../support/console.ts'
import {
  closeConsole,
  cookieFor,
  ended,
  hourMs,
  inside,
  keysOf,
  newOrganization,
  openConsole,
  ours,
  service,
  session,
  start,
  withoutKey,
  withoutOperatorKey,
} from '../support/own-console.ts'
import { personCookie } from '../support/person-session.ts'
import { refused } from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

const groupName = 'operators'
const unnamed = 'organization: is named by SIGNET_OPERATOR_ORGANIZATION'

/** Of the operator: its group is the one that the settings of `named` name. */
let own: Organization
let named: ConsoleService

beforeAll(async () => {
  await openConsole()
  own = await service.organization({ name: 'Operator' })
  await service.as(own, 'POST', '/groups', { name: groupName })
  named = await start({ SIGNET_OPERATOR_ORGANIZATION: own.id, SIGNET_OPERATOR_GROUP: groupName })
})
beforeEach(newOrganization)
afterAll(async () => {
  await named?.stop()
  await closeConsole()
})

const newPerson = async (organization = own, groups = [groupName]): Promise<string> =>
  (await service.as(organization, 'POST', '/persons', { groups })).body.result.person_id

const cookieOfPerson = (personId: string, organization = own, at?: Date) =>
  personCookie(inside, organization, personId, at)

/** As an operator's page, which names no organization. */
const ask = async (cookie: string, method: string, path: string, body?: unknown, headers = {}, at = named) => {
  const opened = await at.send('GET', session, { ...ownPage, cookie, ...headers })
  const page = path.startsWith(session) ? {} : { 'service-console': opened.body?.result?.id ?? 'none' }
  return at.send(method, path, { ...ownPage, ...page, cookie, ...headers }, body)
}
const of = ({ id }: Organization) => ({ 'service-orgid': id })

async function give(role: string, group: string) {
  await inside.write.rows(sql`
    insert into console_access (org_id, group_name, role) values (${own.id}, ${group}, ${role}) on conflict do nothing`)
}

const entriesOf = async (organization: Organization, action: string) =>
  (await service.as(organization, 'GET', `/organizations/audit-log?action=${action}`)).body.result

describe('A person in the operator’s group', () => {
  // Proves console/64.
  test('Is the operator on pages that name no organization, by the one session of their own', async () => {
    const personId = await newPerson()
    const cookie = await cookieOfPerson(personId)
    const { body } = await ask(cookie, 'GET', session)
    expect(body.result).toMatchObject({ by: { type: 'person', id: personId, roles: [] }, scopes: [] })
    expect(body.result.organization_id).toBeUndefined()
    expect((await ask(cookie, 'GET', '/organizations')).status).toBe(200)
    expect((await ask(cookie, 'GET', '/processes')).status).toBe(200)
    const made = await ask(cookie, 'POST', '/organizations', { name: 'Made' })
    expect(made.status).toBe(201)
  })

  test('Has no role by that: the pages of the organization are for those whom `console_access` names', async () => {
    const personId = await newPerson()
    const cookie = await cookieOfPerson(personId)
    expect(await ask(cookie, 'GET', session, undefined, of(own))).toMatchObject(ended)
    expect(await ask(cookie, 'GET', '/groups', undefined, of(own))).toMatchObject(ended)
    const list = async () => (await ask(cookie, 'GET', '/console/sessions')).body.result
    expect(await list()).toMatchObject([{ by: { type: 'person', id: personId } }])
    await service.as(own, 'POST', '/groups', { name: 'readers' })
    await give('reader', 'readers')
    await service.as(own, 'POST', `/persons/${personId}/groups`, { groups: ['readers'] })
    expect((await ask(cookie, 'GET', '/groups', undefined, of(own))).status).toBe(200)
    const both = await list()
    expect(both.map(({ organization_id: id }: { organization_id?: string }) => id ?? 'all').sort()).toEqual(
      [own.id, 'all'].sort(),
    )
  })

  test('Is not where no setting names the group, or the browser has a session of the operator’s key', async () => {
    const cookie = await cookieOfPerson(await newPerson())
    const elsewhere = await ask(cookie, 'GET', '/organizations', undefined, {}, service)
    expect(elsewhere).toMatchObject(withoutOperatorKey)
    const byKey = await cookieFor({ operator_key: service.operatorKey })
    const both = await ask(`${cookie}; ${byKey}`, 'GET', session)
    expect(both.body.result.by).toEqual({ type: 'operator' })
    const list = await ask(`${cookie}; ${byKey}`, 'GET', '/console/sessions')
    expect(list.body.result).toMatchObject([{ by: { type: 'operator' } }])
  })

  test('Goes on where the session of the operator’s key has ended, with another session, which the page is told', async () => {
    const cookie = await cookieOfPerson(await newPerson())
    const byKey = await cookieFor({ operator_key: service.operatorKey })
    const { id } = (await ask(byKey, 'GET', session)).body.result
    await ask(byKey, 'DELETE', session)
    const page = { 'service-console': id }
    const late = await named.send('GET', '/organizations', { ...ownPage, ...page, cookie: `${cookie}; ${byKey}` })
    expect([late.status, late.headers['signet-error']]).toEqual([409, 'console_session_replaced'])
    expect((await ask(`${cookie}; ${byKey}`, 'GET', '/organizations')).status).toBe(200)
  })

  test('Signs out of both by signing out of one', async () => {
    const personId = await newPerson()
    const cookie = await cookieOfPerson(personId)
    const { status, headers } = await ask(cookie, 'DELETE', session)
    expect(status).toBe(204)
    expect(headers['set-cookie']).toEqual([expect.stringContaining(`signet-console-${own.id}=; `)])
    expect(await ask(cookie, 'GET', session)).toMatchObject(ended)
    expect(await entriesOf(own, 'deleteConsoleSession')).toMatchObject([{ actor: { type: 'person', id: personId } }])
  })

  // Proves console/66.
  test('Needs a sign-in younger than an hour for what is grave, and for nothing else', async () => {
    const cookie = await cookieOfPerson(await newPerson(), own, new Date(Date.now() - hourMs))
    for (const [method, path] of [
      ['DELETE', `/organizations/${ours.id}`],
      ['POST', `/organizations/${ours.id}/api-keys`],
    ] as const) {
      const { status, headers } = await ask(cookie, method, path, method === 'POST' ? {} : undefined)
      expect([status, headers['signet-error']]).toEqual([401, 'sign_in_not_recent'])
    }
    expect((await ask(cookie, 'PATCH', `/organizations/${ours.id}`, { name: 'Renamed' })).status).toBe(200)
    const recent = await cookieOfPerson(await newPerson())
    expect((await ask(recent, 'POST', `/organizations/${ours.id}/api-keys`, {})).status).toBe(201)
    expect((await ask(recent, 'DELETE', `/organizations/${ours.id}`)).status).toBe(204)
  })

  // Proves console/67.
  test('Is named in the audit log of their own organization, and to no customer', async () => {
    const personId = await newPerson()
    const cookie = await cookieOfPerson(personId)
    await ask(cookie, 'PATCH', `/organizations/${ours.id}`, { name: 'Renamed' })
    await ask(cookie, 'POST', `/organizations/${ours.id}/api-keys`, {})
    const log = await service.as(ours, 'GET', '/organizations/audit-log')
    const nobody = { type: 'operator', id: null }
    expect(log.body.result.slice(0, 2)).toMatchObject([
      { actor: nobody, action: 'createOrganizationApiKey', target: { type: 'api_key' } },
      { actor: nobody, action: 'changeOrganization', after: { name: 'Renamed' } },
    ])
    expect(JSON.stringify(log.body)).not.toContain(personId)
    const actor = { type: 'person', id: personId }
    const target = { type: 'organization', id: ours.id }
    expect((await entriesOf(own, 'changeOrganization'))[0]).toMatchObject({ actor, target, after: { name: 'Renamed' } })
    const [key] = await entriesOf(own, 'createOrganizationApiKey')
    expect(key).toMatchObject({ actor, target, after: { api_key: '***' } })
    await ask(cookie, 'PATCH', `/organizations/${own.id}`, { name: 'Ourselves' })
    const [once, ...before] = await entriesOf(own, 'changeOrganization')
    expect(once).toMatchObject({ actor, after: { name: 'Ourselves' } })
    expect(before.some(({ after }: { after: { name: string } }) => after.name === 'Ourselves')).toBe(false)
  })
})

describe('Nobody else is the operator', () => {
  const refusedTo = async (cookie: string) => {
    expect(await ask(cookie, 'GET', '/organizations')).toMatchObject(withoutOperatorKey)
    expect(await ask(cookie, 'GET', session)).toMatchObject(ended)
  }

  // Proves console/61.
  test('A person in a group of the same name in another organization, were it an owner there', async () => {
    await service.as(ours, 'POST', '/groups', { name: groupName })
    await inside.write.rows(sql`
      insert into console_access (org_id, group_name, role) values (${ours.id}, ${groupName}, 'owner')`)
    const cookie = await cookieOfPerson(await newPerson(ours), ours)
    expect((await ask(cookie, 'GET', '/groups', undefined, of(ours))).status).toBe(200)
    await refusedTo(cookie)
    expect(await ask(cookie, 'GET', '/organizations', undefined, of(ours))).toMatchObject(withoutOperatorKey)
    // Its value under the name of the operator's organization.
    await refusedTo(cookie.replace(ours.id, own.id))
    await refusedTo(cookie.replace(ours.id, 'operator'))
  })

  // Proves console/61.
  test('An owner of the operator’s organization who is in another group, and a key of it, an admin key too', async () => {
    await service.as(own, 'POST', '/groups', { name: 'owners' })
    await give('owner', 'owners')
    const cookie = await cookieOfPerson(await newPerson(own, ['owners']))
    expect((await ask(cookie, 'GET', '/groups', undefined, of(own))).status).toBe(200)
    await refusedTo(cookie)
    await refusedTo(await cookieFor(keysOf(own)))
  })

  // Proves console/64.
  test('A member on a page of an organization: what names one is never the operator’s', async () => {
    const cookie = await cookieOfPerson(await newPerson())
    for (const organization of [own, ours])
      expect((await ask(cookie, 'GET', '/organizations', undefined, of(organization))).status).toBe(401)
    const { id } = (await ask(cookie, 'GET', session)).body.result
    const page = { ...ownPage, 'service-console': id, cookie }
    expect(await named.send('GET', '/groups', { ...page, ...of(ours) })).toMatchObject(withoutKey)
    // Another site's page, and a program.
    const foreign = { ...page, 'sec-fetch-site': 'cross-site' }
    expect(await named.send('GET', '/organizations', foreign)).toMatchObject(withoutOperatorKey)
    expect(await named.send('GET', '/organizations', { cookie })).toMatchObject(withoutOperatorKey)
  })

  // Proves console/63.
  test.each<[string, (personId: string) => Promise<unknown>]>([
    ['is taken out of the group', (id) => service.as(own, 'DELETE', `/persons/${id}/groups/${groupName}`)],
    ['is deactivated', (id) => service.as(own, 'PATCH', `/persons/${id}`, { active: false })],
    ['is deleted', (id) => service.as(own, 'DELETE', `/persons/${id}`)],
    ['is signed out', (id) => service.as(own, 'DELETE', `/persons/${id}/sessions`)],
  ])('A member who %s, from the next call on', async (_, end) => {
    const personId = await newPerson()
    const cookie = await cookieOfPerson(personId)
    const { id } = (await ask(cookie, 'GET', session)).body.result
    expect((await end(personId)) as object).toMatchObject({ status: expect.toSatisfy((status) => status < 300) })
    const sent = { ...ownPage, 'service-console': id, cookie }
    expect(await named.send('POST', '/organizations', sent, { name: 'Late' })).toMatchObject({ status: 401 })
    await refusedTo(cookie)
  })
})

describe('The organization of the operator’s people', () => {
  // Proves console/65.
  test('Cannot be deleted as long as it is named', async () => {
    const refusal = refused(409, unnamed)
    expect(await named.operate('DELETE', `/organizations/${own.id}`)).toMatchObject(refusal)
    expect(await named.operate('DELETE', `/organizations/${own.id.toUpperCase()}`)).toMatchObject(refusal)
    const cookie = await cookieOfPerson(await newPerson())
    expect(await ask(cookie, 'DELETE', `/organizations/${own.id}`)).toMatchObject(refusal)
    expect((await named.operate('DELETE', `/organizations/${ours.id}`)).status).toBe(204)
  })

  // Proves console/65.
  test('That moves, or was deleted before, has nobody who is the operator', async () => {
    const moving = await service.organization()
    await service.as(moving, 'POST', '/groups', { name: groupName })
    const env = { SIGNET_OPERATOR_ORGANIZATION: moving.id, SIGNET_OPERATOR_GROUP: groupName }
    const other = await start(env)
    try {
      const cookie = await cookieOfPerson(await newPerson(moving), moving)
      const organizations = () => ask(cookie, 'GET', '/organizations', undefined, {}, other)
      expect((await organizations()).status).toBe(200)
      await inside.write.rows(sql`update organizations set deleted_at = 'infinity' where id = ${moving.id}`)
      expect((await organizations()).status).toBe(401)
      await inside.write.rows(sql`update organizations set deleted_at = null where id = ${moving.id}`)
      expect((await service.operate('DELETE', `/organizations/${moving.id}`)).status).toBe(204)
      expect((await organizations()).status).toBe(401)
    } finally {
      await other.stop()
    }
  })
})

describe('The operator’s group is guarded, whatever `console_access` names', () => {
  const guarded = refused(
    403,
    'group: operators opens the console, so only admin keys and owners change it and its members',
  )
  const guardedPerson = refused(
    403,
    'person: is in operators, which opens the console, so only admin keys and owners change the person',
  )

  // Proves console/62.
  test('A key with all scopes but one changes neither it nor its members, and admits nobody', async () => {
    const scopes = allScopes.filter((scope) => scope !== 'audit-log:read')
    const made = await service.as(own, 'POST', '/organizations/api-keys', { scopes })
    const narrow = { id: own.id, apiKey: made.body.result.api_key }
    const asNarrow = (method: string, path: string, body?: unknown) => named.as(narrow, method, path, body)
    const [member, other] = [await newPerson(), await newPerson(own, [])]
    const groups = [groupName]
    expect(await asNarrow('POST', '/persons', { groups })).toMatchObject(guarded)
    expect(await asNarrow('POST', `/persons/${other}/groups`, { groups })).toMatchObject(guarded)
    expect(await asNarrow('PUT', `/persons/${other}/groups`, { groups })).toMatchObject(guarded)
    expect(await asNarrow('POST', `/groups/${groupName}/persons`, { persons: [other] })).toMatchObject(guarded)
    expect(await asNarrow('DELETE', `/groups/${groupName}/persons/${member}`)).toMatchObject(guarded)
    expect(await asNarrow('DELETE', `/persons/${member}/groups/${groupName}`)).toMatchObject(guarded)
    expect(await asNarrow('PUT', `/persons/${member}/groups`, { groups: [] })).toMatchObject(guarded)
    expect(await asNarrow('PATCH', `/groups/${groupName}`, { description: 'Ours' })).toMatchObject(guarded)
    expect(await asNarrow('PATCH', `/persons/${member}`, { active: false })).toMatchObject(guardedPerson)
    expect(await asNarrow('DELETE', `/persons/${member}`)).toMatchObject(guardedPerson)
    expect((await service.as(own, 'GET', `/groups/${groupName}/persons?limit=1000`)).body.result).not.toContain(other)
    // Of another organization the same name says nothing.
    await service.as(ours, 'POST', '/groups', { name: groupName })
    const theirs = await service.as(ours, 'POST', '/organizations/api-keys', { scopes })
    const elsewhere = { id: ours.id, apiKey: theirs.body.result.api_key }
    expect((await named.as(elsewhere, 'POST', '/persons', { groups })).status).toBe(201)
  })

  // Proves console/62.
  test('Neither is it deleted by anybody, as long as it is named', async () => {
    const refusal = refused(409, 'group: operators is named by SIGNET_OPERATOR_GROUP')
    expect(await named.as(own, 'DELETE', `/groups/${groupName}`)).toMatchObject(refusal)
    await service.as(ours, 'POST', '/groups', { name: groupName })
    expect((await named.as(ours, 'DELETE', `/groups/${groupName}`)).status).toBeLessThan(300)
  })
})

describe('Ways in', () => {
  const options = (at = named) => at.send('GET', '/console/sign-in/options', ownPage)

  test('The page of the operator offers the credentials of that organization, and the key only where there is one', async () => {
    const credential = {
      provider: 'provider_a',
      client_id: 'of-the-operator',
      client_secret: 'secret',
      label: 'Our provider',
    }
    const path = '/organizations/sso/oidc/provider-credentials'
    const added = await service.as(own, 'POST', path, credential)
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    expect((await options()).body.result).toMatchObject({
      key_sign_in: true,
      operator: [{ oauth_client_id: 'of-the-operator', label: 'Our provider' }],
      operator_organization_id: own.id,
    })
    const unnamed = (await options(service)).body.result
    expect(unnamed).toMatchObject({ key_sign_in: true, operator: [] })
    expect(unnamed.operator_organization_id).toBeUndefined()
  })

  test('Where no key is set, people are the operator all the same; where keys open no console of theirs, too', async () => {
    const withoutKeys = await start({
      SIGNET_OPERATOR_ORGANIZATION: own.id,
      SIGNET_OPERATOR_GROUP: groupName,
      SIGNET_OPERATOR_KEY: '',
    })
    try {
      await inside.write.rows(sql`update organizations set console_key_sign_in = false where id = ${own.id}`)
      const cookie = await cookieOfPerson(await newPerson())
      expect((await ask(cookie, 'GET', '/organizations', undefined, {}, withoutKeys)).status).toBe(200)
      expect((await options(withoutKeys)).body.result.key_sign_in).toBe(false)
      const byKey = { operator_key: service.operatorKey }
      expect((await withoutKeys.send('POST', session, { ...ownPage }, byKey)).status).toBe(401)
    } finally {
      await inside.write.rows(sql`update organizations set console_key_sign_in = true where id = ${own.id}`)
      await withoutKeys.stop()
    }
  })
})
