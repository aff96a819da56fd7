import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { as, closeSignIns, newTenant, openSignIns, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { refused } from '../support/refused.ts'
import { ada, providers } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

const unknown = '01890000-0000-7000-8000-000000000000'
const tid = '11111111-2222-4333-8444-555555555555'
const otherTid = '22222222-2222-4333-8444-555555555555'
const oid = '99999999-8888-4777-8666-555555555555'

const newPerson = async (fields: object = {}) => (await as('POST', '/persons', fields)).body.result.person_id as string
const add = (personId: string, subject: unknown, oauth_client_id: unknown = 'signet') =>
  as('POST', `/persons/${personId}/identities`, { oauth_client_id, subject })
const subjectOf = async (person: object, params?: Record<string, string>) =>
  (
    await tenant.application.signIn(
      openBrowser(() => service.baseUrl),
      { person, ...(params && { params }) },
    )
  ).sub
const identitiesOf = async (personId: string) => (await as('GET', `/persons/${personId}/identities`)).body.result
const taken = refused(409, 'subject: is an identity of somebody already, or the person has another one at its issuer')
/** Nobody asks this provider anything. */
const addEntra = (name: string) =>
  tenant.addCredential('provider_g', { ...other, options: { provider_g: { tenant: name } } })

describe('An identity that an admin key adds', () => {
  test('The first sign-in with that account is of this person, without an event of its own, and the audit log has it', async () => {
    const personId = await newPerson({ handles: [{ type: 'EmailAddress', value: 'ada@example.com', verified: true }] })
    const before = (await tenant.events()).length
    const { status, body } = await add(personId, ada.sub)
    expect(status).toBe(201)
    expect(body.result).toEqual({
      id: expect.any(String),
      provider: providers.google,
      issuer: expect.stringMatching(/^http:\/\/127/),
      subject: ada.sub,
      created_at: expect.any(String),
    })
    expect(await identitiesOf(personId)).toEqual([body.result])
    expect(await tenant.events()).toHaveLength(before)
    const [entry] = (await as('GET', '/organizations/audit-log?action=addPersonIdentity')).body.result
    expect(entry).toMatchObject({
      target: { type: 'identity', id: body.result.id },
      after: { person_id: personId, provider: providers.google, subject: { hash: expect.any(String) } },
    })
    expect(await subjectOf(ada)).toBe(personId)
    expect(await identitiesOf(personId)).toMatchObject([{ id: body.result.id, email: ada.email }])
  })

  test('It lets in who may not register, and nobody who is not active', async () => {
    await as('PATCH', '/organizations/settings', { self_registration: false })
    const personId = await newPerson()
    await add(personId, ada.sub)
    expect(await subjectOf(ada)).toBe(personId)
    await as('PATCH', `/persons/${personId}`, { active: false })
    const { url } = await tenant.application.begin()
    const { url: end } = await openBrowser(() => service.baseUrl).go(url, { person: ada })
    expect(end).toContain('error=access_denied')
  })

  test('One that somebody has is a conflict, as is a second one of the person at its issuer; nothing changes', async () => {
    const [first, second] = [await newPerson(), await newPerson()]
    expect((await add(first, ada.sub)).status).toBe(201)
    expect(await add(first, ada.sub)).toMatchObject(taken)
    expect(await add(second, ada.sub)).toMatchObject(taken)
    expect(await add(first, 'another')).toMatchObject(taken)
    expect([await identitiesOf(first), await identitiesOf(second)]).toMatchObject([[{ subject: ada.sub }], []])
    const who = await subjectOf({ ...ada, sub: 'signed-in' })
    expect(await add(second, 'signed-in')).toMatchObject(taken)
    expect(await identitiesOf(who)).toHaveLength(1)
  })

  test('Of eight that add one account at the same time, one succeeds', async () => {
    const persons = await Promise.all(Array.from({ length: 8 }, () => newPerson()))
    const statuses = (await Promise.all(persons.map((personId) => add(personId, ada.sub)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, ...Array(7).fill(409)])
  })

  test('One that was taken away may be added again, to this person or another one', async () => {
    const [first, second] = [await newPerson(), await newPerson()]
    for (const personId of [first, first, second]) {
      const { status, body } = await add(personId, ada.sub)
      expect(status).toBe(201)
      expect(await subjectOf(ada)).toBe(personId)
      expect((await as('DELETE', `/persons/${personId}/identities/${body.result.id}`)).status).toBe(204)
    }
  })

  test('A person has at most 100', async () => {
    const personId = await newPerson()
    await signIns.inside.query(
      `insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
       select $1, gen_random_uuid(), $2, 'provider_h', 'https://' || n || '.okta.example', '1', gen_random_uuid(), now()
         from generate_series(1, 100) n`,
      [tenant.organization.id, personId],
    )
    expect(await add(personId, ada.sub)).toMatchObject(refused(409, 'person: has 100 identities, which is the limit'))
    expect(await identitiesOf(personId)).toHaveLength(100)
  })

  test('What is missing or malformed is named', async () => {
    const personId = await newPerson()
    const noCredential = 'oauth_client_id: must be that of a credential of this organization'
    expect(await add(personId, ada.sub, 'unknown')).toMatchObject(refused(400, noCredential))
    const characters = 'subject: must be 1 to 255 characters'
    expect(await add(personId, '')).toMatchObject(refused(400, characters))
    expect(await add(personId, 'a'.repeat(256))).toMatchObject(refused(400, characters))
    const printable = 'subject: must be 1 to 255 printable ASCII characters'
    expect(await add(personId, 'jos\u00e9')).toMatchObject(refused(400, printable))
    for (const id of [unknown, 'x']) expect(await add(id, ada.sub)).toMatchObject(refused(404, 'person: not found'))
    expect((await as('POST', `/persons/${personId}/identities`, {})).body.errors).toHaveLength(2)
    expect(await identitiesOf(personId)).toEqual([])
  })

  test('A key with all scopes but one adds none', async () => {
    const personId = await newPerson()
    const { body } = await as('POST', '/organizations/api-keys', { scopes: ['persons:write'] })
    const key = { id: tenant.organization.id, apiKey: body.result.api_key }
    const fields = { oauth_client_id: 'signet', subject: ada.sub }
    expect((await service.as(key, 'POST', `/persons/${personId}/identities`, fields)).status).toBe(403)
  })
})

describe('A person who was made beforehand', () => {
  const address = 'ada@corp.example'
  const comes = (fields: object = {}) =>
    subjectOf({ sub: 'o-1', email: address, email_verified: true, ...fields }, { idp: other.client_id })
  const made = (verified: boolean) => newPerson({ handles: [{ type: 'EmailAddress', value: address, verified }] })

  test.each<[string, object, boolean, boolean]>([
    ['joined by an address of a domain that the credential is trusted for', {}, true, true],
    ['joined by one that the provider does not call confirmed', { email_verified: false }, true, true],
    ['not joined by an address of another domain', { email: 'ada@other.example' }, true, false],
    ['not joined where no admin key vouched for the handle', {}, false, false],
  ])('Behind Okta, the person is %s', async (_, fields, isVouched, isJoined) => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    await tenant.addCredential(providers.okta, { ...other, trust_email_domains: ['corp.example'] })
    const personId = await made(isVouched)
    expect((await comes(fields)) === personId).toBe(isJoined)
  })
})

describe('An identity at Entra', () => {
  const issuerOf = (id: string) => `http://127.0.0.1:1`.replace('{tenant}', id)

  test.each(['common', 'organizations', 'consumer'])('With the tenant %s its own tenant is named', async (name) => {
    await addEntra(name)
    const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
    const own = name === 'consumer' ? personal : tid
    const personId = await newPerson()
    const rule =
      'subject: must be the GUID of a tenant that the credential takes, a colon, and the object id of the person'
    const wrong = [oid, `${tid}:`, `x:${oid}`, `${tid}:${oid}:${oid}`, `${tid}:x`]
    const foreign = name === 'common' ? [] : [`${name === 'consumer' ? tid : personal}:${oid}`]
    for (const subject of [...wrong, ...foreign])
      expect(await add(personId, subject, other.client_id)).toMatchObject(refused(400, rule))
    const { body } = await add(personId, `${own}:${oid}`.toUpperCase(), other.client_id)
    expect(body.result).toMatchObject({ provider: 'provider_g', issuer: issuerOf(own), subject: `${own}:${oid}` })
  })

  test('With the tenant of a domain that nobody has signed in at, and whose provider is away, it is a conflict', async () => {
    await addEntra('contoso.example')
    const words = 'oauth_client_id: its provider does not tell the issuer of its tenant; test the credential'
    expect(await add(await newPerson(), oid, other.client_id)).toMatchObject(refused(409, words))
  })

  test('A foreign tenant is refused', async () => {
    await addEntra(tid)
    expect((await add(await newPerson(), `${otherTid}:${oid}`, other.client_id)).status).toBe(400)
  })
})
