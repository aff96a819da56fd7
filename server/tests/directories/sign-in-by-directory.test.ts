import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { openBrowser } from '../support/browser.ts'
import { accept, invite, members, nameGroup } from '../support/console-invitations.ts'
import { as, closeSignIns, newTenant, openSignInsAt, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { auditOf, emails, eventsOf, handlesOf, mail, makeAdministrator, newPerson } from '../support/own-users.ts'
import { jo, type Pushing, startPushing } from '../support/pushing.ts'
import type { Behaviour } from '../support/receiver.ts'
import { providers } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

let corp: Pushing

beforeAll(() => openSignInsAt((_, { entra }) => ({ [providers.away]: { issuer: entra } })))
afterAll(closeSignIns)
beforeEach(async () => {
  await newTenant()
  await tenant.addCredential(providers.okta, other)
  corp = await pushAt()
})

const pushAt = (fields: object = {}) =>
  startPushing(service, tenant.organization, {
    oauth_client_id: other.client_id,
    match: 'external_id',
    email_domains: ['corp.example'],
    ...fields,
  })
const change = (fields: object) => as('PATCH', `/organizations/directories/${corp.id}`, fields)

const atOkta = { idp: other.client_id }
const account = { sub: jo.externalId, email: 'someone@else.example', email_verified: true }
const page = async (person: object, params: Record<string, string> = atOkta) => {
  const begun = await tenant.application.begin(params)
  return { begun, page: await openBrowser(() => service.baseUrl).go(begun.url, { person }) }
}
/** Who signs in. */
const comes = async (person: object, params?: Record<string, string>) => {
  const { begun, page: end } = await page(person, params)
  return (await tenant.application.finish(begun, end.url)).sub
}
/** Why nobody does. */
const isRefused = async (person: object, params?: Record<string, string>) => {
  expect(errorIn((await page(person, params)).page)).toBe('access_denied')
  return (await tenant.endings()).at(-1)
}
const identitiesOf = async (id: string) => (await as('GET', `/persons/${id}/identities`)).body.result

async function addHook(behaviour: Behaviour) {
  const path = `/${tenant.organization.id}/hook`
  signIns.receiver.behave(path, behaviour)
  const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], { timeout: '20s' })
  const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  await as('POST', `/organizations/webhooks/${id}/triggers`, trigger)
  return id
}

describe('A first sign-in at the credential of a directory', () => {
  test('97: With the account that externalId names it is of the person whom the directory made, whatever the addresses', async () => {
    const { id } = await corp.push(jo)
    const owner = await newPerson({ handles: [mail(account.email, true)] })
    expect(await comes(account)).toBe(id)
    expect(await comes(account)).toBe(id)
    expect(await identitiesOf(id)).toMatchObject([{ subject: jo.externalId, email: account.email }])
    expect((await tenant.persons()).map(({ person_id }) => person_id).sort()).toEqual([id, owner].sort())
    expect((await eventsOf()).sort()).toEqual([
      'AuthenticationSucceeded',
      'AuthenticationSucceeded',
      'PersonCreated',
      'PersonCreated',
    ])
    expect(await comes({ ...account, sub: jo.externalId.toUpperCase() })).not.toBe(id)
  })

  test('97: The token of a hook says that it is the first one', async () => {
    await corp.push(jo)
    await addHook({})
    await comes(account)
    await comes(account)
    const runs = signIns.receiver.received(`/${tenant.organization.id}/hook`)
    const contents = runs.map(
      ({ body }) => decodeJwt<{ trigger_content: { first_token: boolean } }>(body).trigger_content,
    )
    expect(contents.map(({ first_token }) => first_token)).toEqual([true, false])
  })

  test('99: It lets in whom the directory pushed where nobody may register, and nobody else', async () => {
    await as('PATCH', '/organizations/settings', { self_registration: false })
    const { id } = await corp.push(jo)
    expect(await isRefused({ ...account, sub: 'unknown' })).toBe('registration_not_allowed')
    expect(await comes(account)).toBe(id)
  })

  test('100: Nobody joins by an address alone, also where verified addresses join', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const { id } = await corp.push(jo)
    const atGoogle = { sub: 'g-1', email: 'jo@corp.example', email_verified: true, hd: 'corp.example' }
    expect(await comes(atGoogle, { idp: 'signet' })).not.toBe(id)
    expect(await comes({ ...atGoogle, sub: 'o-2' })).not.toBe(id)
    expect(await handlesOf(id)).toEqual([['jo@corp.example', true]])
  })

  test('Whom the directory switched off, or a key, does not come in, and no second person is made', async () => {
    const { id } = await corp.push({ ...jo, active: false })
    expect(await isRefused(account)).toBe('person_not_active')
    await corp.patch(id, { op: 'replace', path: 'active', value: true })
    await as('PATCH', `/persons/${id}`, { active: false })
    expect(await isRefused(account)).toBe('person_not_active')
    expect(await tenant.persons()).toHaveLength(1)
    expect(await identitiesOf(id)).toEqual([])
  })

  test.each<[string, () => Promise<unknown>]>([
    ['does not match by external ids', () => change({ match: 'none' })],
    ['is stopped', () => change({ enabled: false })],
    ['is of no credential', () => change({ oauth_client_id: null })],
    ['is deleted', () => as('DELETE', `/organizations/directories/${corp.id}`)],
  ])('Where the directory %s, it is of a new person', async (_, end) => {
    const { id } = await corp.push(jo)
    await end()
    expect(await comes(account)).not.toBe(id)
  })

  test('At another credential it is of a new person', async () => {
    const { id } = await corp.push(jo)
    expect(await comes(account, { idp: 'signet' })).not.toBe(id)
  })

  test('Another account at the issuer of somebody who has signed in there is of a new person, and so is one that was taken away', async () => {
    const { id } = await corp.push({ ...jo, externalId: 'first' })
    expect(await comes({ ...account, sub: 'first' })).toBe(id)
    await corp.patch(id, { op: 'replace', path: 'externalId', value: jo.externalId })
    const second = await comes(account)
    expect(second).not.toBe(id)
    await as('DELETE', `/persons/${second}`)
    const [identity] = await identitiesOf(id)
    await as('DELETE', `/persons/${id}/identities/${identity.id}`)
    await corp.patch(id, { op: 'replace', path: 'externalId', value: 'first' })
    expect(await comes({ ...account, sub: 'first' })).not.toBe(id)
  })

  test('An account of somebody who has signed in is given to no other user', async () => {
    const { id } = await corp.push({ ...jo, externalId: 'first' })
    const second = await comes(account)
    expect(second).not.toBe(id)
    const given = await corp.call('PATCH', `/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'externalId', value: jo.externalId }],
    })
    expect(given).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    expect(await comes(account)).toBe(second)
  })

  test('Who signed in first is the person whom the directory pushes later', async () => {
    const first = await comes(account)
    expect((await corp.push(jo)).id).toBe(first)
    expect(await auditOf('adoptScimUser')).toHaveLength(1)
    expect(await comes(account)).toBe(first)
  })
})

describe('Whoever enters the console', () => {
  test('is nobody by what a directory says: neither at an application nor there', async () => {
    const { id } = await corp.push(jo)
    await makeAdministrator(id)
    expect(await isRefused(account)).toBe('registration_not_allowed')
    expect(await tenant.persons()).toHaveLength(1)
    // As the refusal says.
    await as('POST', `/persons/${id}/identities`, { oauth_client_id: other.client_id, subject: jo.externalId })
    expect(await comes(account)).toBe(id)
  })

  test('is the person whom the directory pushed into a group that an owner has tied to it', async () => {
    const { id } = await corp.push(jo)
    const { body: group } = await corp.call('POST', '/Groups', {
      displayName: 'Administrators',
      members: [{ value: id }],
    })
    await as('POST', '/groups', { name: 'admins' })
    await as('PATCH', '/organizations/settings', { console_access: [{ group: 'admins', role: 'reader' }] })
    await as('PATCH', `/organizations/directories/${corp.id}/groups/${group.id}`, { group_name: 'admins' })
    expect(await members('admins')).toEqual([id])
    expect(await comes(account)).toBe(id)
  })

  test('is the person whom the directory pushed, where that one accepts an invitation', async () => {
    const { id } = await corp.push(jo)
    await nameGroup()
    expect(
      await accept(
        await invite(),
        account,
        openBrowser(() => service.baseUrl),
      ),
    ).not.toBe('signed in')
    await as('DELETE', `/organizations/sso/oidc/provider-credentials/signet`)
    expect(
      await accept(
        await invite(),
        account,
        openBrowser(() => service.baseUrl),
      ),
    ).toBe('signed in')
    expect(await members()).toContain(id)
  })
})

describe('At Entra', () => {
  const tenants = ['11111111-2222-4333-8444-555555555555', '22222222-2222-4333-8444-555555555555'] as const
  const oid = '99999999-8888-4777-8666-555555555555'
  const employee = (tid: string) => ({ sub: `pairwise-${tid}`, tid, oid, ver: '2.0', email: 'jo@corp.example' })
  const entra = { idp: 'signet' }

  beforeEach(async () => {
    await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
    await tenant.addCredential(providers.away, { options: { provider_g: { tenant: tenants[0] } } })
    await change({ oauth_client_id: 'signet' })
  })

  test('98: The object id of the tenant of the credential names the person, and that of another tenant nobody', async () => {
    const { id } = await corp.push({ ...jo, externalId: oid })
    expect(await comes(employee(tenants[0]), entra)).toBe(id)
    expect(errorIn((await page(employee(tenants[1]), entra)).page)).toBe('server_error')
    expect(await identitiesOf(id)).toMatchObject([{ subject: `${tenants[0]}:${oid}` }])
  })

  test('98: The nickname that Entra sends by default names nobody', async () => {
    const { id } = await corp.push({ ...jo, externalId: 'jo' })
    expect(await comes(employee(tenants[0]), entra)).not.toBe(id)
  })

  test('26b: Who signed in first is the person whom the directory pushes later', async () => {
    const first = await comes(employee(tenants[0]), entra)
    expect((await corp.push({ ...jo, externalId: oid })).id).toBe(first)
  })
})

describe('What a directory says of a person', () => {
  const scope = 'openid email profile offline_access'
  const said = async (person: object, params: Record<string, string> = atOkta) => {
    const begun = await tenant.application.begin({ scope, ...params })
    const { url } = await openBrowser(() => service.baseUrl).go(begun.url, { person })
    const { id_token = '', access_token, refresh_token = '' } = await tenant.application.exchange(begun, url)
    const claims = decodeJwt(id_token)
    const info = await tenant.application.userInfo(access_token)
    for (const name of ['name', 'given_name', 'family_name', 'locale', 'email', 'email_verified'])
      expect([name, info[name]]).toEqual([name, claims[name]])
    const later = async () => decodeJwt((await tenant.application.refresh(refresh_token)).id_token ?? '')
    return { claims, later }
  }

  test('is a claim of a profile where the provider of the sign-in says none, as it is now', async () => {
    const { id } = await corp.push(jo)
    const { claims, later } = await said({ sub: jo.externalId, given_name: 'Joanna' })
    expect(claims).toMatchObject({ name: 'Jo Doe', given_name: 'Joanna', family_name: 'Doe', locale: 'en-US' })
    expect(claims.updated_at).toEqual(expect.any(Number))
    await corp.patch(id, {
      op: 'replace',
      value: { displayName: 'J\u202eD', 'name.familyName': 'Roe', locale: 'a'.repeat(201) },
    })
    const after = await later()
    expect(after).toMatchObject({ given_name: 'Joanna', family_name: 'Roe' })
    for (const name of ['name', 'locale']) expect(after).not.toHaveProperty(name)
  })

  test('counts for a confirmed address in a sign-in through its own credential alone', async () => {
    const { id } = await corp.push(jo)
    const address = { email: 'jo@corp.example' }
    await as('POST', `/persons/${id}/identities`, { oauth_client_id: 'signet', subject: 'g-1' })
    expect((await said({ sub: jo.externalId, ...address })).claims).toMatchObject({ ...address, email_verified: true })
    expect((await said({ sub: jo.externalId })).claims).toMatchObject({ ...address, email_verified: true })
    const elsewhere = { idp: 'signet' }
    expect((await said({ sub: 'g-1' }, elsewhere)).claims).toMatchObject({ ...address, email_verified: false })
    const unconfirmed = { sub: 'g-1', email: 'jo@corp.example', email_verified: false }
    expect((await said(unconfirmed, elsewhere)).claims).toMatchObject({ ...address, email_verified: false })
    await as('PATCH', `/persons/${id}`, { handles: [mail('jo@corp.example', true)] })
    expect((await said(unconfirmed, elsewhere)).claims).toMatchObject({ ...address, email_verified: true })
    expect((await said({ sub: 'g-1' }, elsewhere)).claims).toMatchObject({ ...address, email_verified: true })
  })

  test('An address that somebody else vouches for comes before one that a directory alone does', async () => {
    const { id } = await corp.push(jo)
    await as('POST', `/persons/${id}/identities`, { oauth_client_id: 'signet', subject: 'g-1' })
    await as('PATCH', `/persons/${id}`, { handles: [mail('jo@corp.example'), mail('own@home.example', true)] })
    const { claims } = await said({ sub: 'g-1' }, { idp: 'signet' })
    expect(claims).toMatchObject({ email: 'own@home.example', email_verified: true })
  })

  test('Without the directory it says nothing more', async () => {
    await corp.push(jo)
    const { claims, later } = await said({ sub: jo.externalId })
    expect(claims).toMatchObject({ name: 'Jo Doe' })
    await as('DELETE', `/organizations/directories/${corp.id}`)
    const after = await later()
    for (const name of ['name', 'family_name', 'email']) expect(after).not.toHaveProperty(name)
  })
})

describe('A first sign-in and a push at the same time', () => {
  /** The sign-in waits in its hook, before it is committed, until `meanwhile` is done. */
  async function during(meanwhile: () => Promise<unknown>) {
    const path = `/${tenant.organization.id}/hook`
    const webhook = await addHook({ inTurn: [{ together: 2 }, { together: 2 }, {}] })
    const coming = comes(account)
    await signIns.receiver.waitFor(path, 1)
    await meanwhile()
    await as('POST', `/organizations/webhooks/${webhook}/dry-run`)
    return coming
  }

  test('make one person, where the push is committed before the sign-in', async () => {
    let id = ''
    const sub = await during(async () => {
      id = (await corp.push(jo)).id
    })
    expect(sub).toBe(id)
    expect(await tenant.persons()).toHaveLength(1)
  })

  test('end as the person is by then, where the push is taken back before the sign-in is committed', async () => {
    const { id } = await corp.push(jo)
    const sub = await during(() => corp.call('DELETE', `/Users/${id}`))
    expect(sub).not.toBe(id)
    expect(await tenant.persons()).toHaveLength(1)
  })

  test('make one person each, many at a time', async () => {
    const names = Array.from({ length: 12 }, (_, n) => `race-${n}`)
    const pairs = await Promise.all(
      names.map((name) =>
        Promise.all([
          comes({ sub: name }),
          corp.push({ userName: name, externalId: name, ...emails(`${name}@corp.example`) }).then(({ id }) => id),
        ]),
      ),
    )
    for (const [signedIn, pushed] of pairs) expect(signedIn).toBe(pushed)
    expect(await tenant.persons()).toHaveLength(names.length)
  })
})
