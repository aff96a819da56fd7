import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Credential, Provider } from '../../src/identity/credentials/index.ts'
import { errorIn } from '../support/application.ts'
import { openBrowser } from '../support/browser.ts'
import {
  closeUpstreams,
  credentialOf,
  tenant as entraTenant,
  oid,
  open,
  openUpstreams,
  overrides,
  signIn,
} from '../support/own-providers.ts'
import { as, closeSignIns, newTenant, openSignIns, other, service, tenant } from '../support/own-sign-ins.ts'

beforeAll(() => Promise.all([openSignIns(), openUpstreams()]))
afterAll(() => Promise.all([closeSignIns(), closeUpstreams()]))
beforeEach(() => newTenant())

const path = `/organizations/sso/oidc/provider-credentials/${other.client_id}`
const ann = { sub: 'ann-1', email: 'Ann@Corp.Example', email_verified: false, name: 'Ann' }
/** With a browser that nobody has used. */
const signInAs = (person: object) =>
  tenant.application.signIn(
    openBrowser(() => service.baseUrl),
    { person, params: { idp: other.client_id } },
  )
const refusedAs = async (person: object) => {
  const begun = await tenant.application.begin({ idp: other.client_id })
  return errorIn(await openBrowser(() => service.baseUrl).go(begun.url, { person }))
}
const handles = async () =>
  (await tenant.persons()).map((person) => person.handles.map(({ value, verified }) => [value, verified]))

describe.each(['provider_h', 'oidc'])('A trusted domain at %s', (provider) => {
  const trust = (trust_email_domains: string[]) => as('PATCH', path, { trust_email_domains })

  test('An address in it counts as confirmed there: it becomes a handle', async () => {
    await tenant.addCredential(provider, { ...other, trust_email_domains: ['corp.example'] })
    await signInAs(ann)
    expect(await handles()).toEqual([[['Ann@Corp.Example', true]]])
  })

  test.each(['ann@sub.corp.example', 'ann@corp.example.evil.example', 'ann@evilcorp.example', 'ann@example'])(
    'An address in another domain does not: %s',
    async (email) => {
      await tenant.addCredential(provider, { ...other, trust_email_domains: ['corp.example'] })
      await signInAs({ ...ann, email })
      expect(await handles()).toEqual([[]])
    },
  )

  test('It lets the person register, and joins one whom an admin key has made', async () => {
    await tenant.addCredential(provider, other)
    await as('PATCH', '/organizations/settings', {
      allowed_email_domains: ['corp.example'],
      link_by_verified_email: true,
    })
    const handle = { type: 'EmailAddress', value: 'ann@corp.example', verified: true }
    const made = (await as('POST', '/persons', { handles: [handle] })).body.result
    expect(await refusedAs(ann)).toBe('access_denied')
    await trust(['corp.example'])
    expect((await signInAs(ann)).sub).toBe(made.person_id)
    expect(await refusedAs({ ...ann, sub: 'bob-1', email: 'bob@corp.example' })).toBeUndefined()
  })

  test('Where the trust is taken away, a later sign-in says no more than the provider does', async () => {
    await tenant.addCredential(provider, { ...other, trust_email_domains: ['corp.example'] })
    await signInAs(ann)
    await trust([])
    await signInAs(ann)
    expect((await handles()).flat().filter(([, verified]) => verified)).toEqual([])
  })

  test('A test sign-in shows what the trust makes of the address', async () => {
    await tenant.addCredential(provider, { ...other, trust_email_domains: ['corp.example'] })
    const { id, url } = (await as('POST', `${path}/test`)).body.result
    await openBrowser(() => service.baseUrl).go(url, { person: ann })
    const { claims, status } = (await as('GET', `${path}/test/${id}`)).body.result
    expect({ status, claims }).toMatchObject({
      status: 'ok',
      claims: { email: ann.email, email_verified: true, name: 'Ann' },
    })
  })
})

describe('A trusted domain where the provider is not, or no longer, the customer’s own', () => {
  const trusting = (provider: Provider, more: Partial<Credential> = {}) =>
    credentialOf(provider, { trustEmailDomains: ['corp.example'], ...more })
  const person = { ...ann, tid: entraTenant, oid, ver: '2.0', email: 'ann@corp.example' }
  const isVouchedFor = async (credential: Credential, said: object = person, providers = open()) =>
    (await signIn(credential, said, providers)).emailVerified

  test('It counts at a server of the operator, for each kind of provider', async () => {
    const user = { id: 1, type: 'user', uuid: '{1}', email: 'ann@corp.example', state: 'active' }
    const emails = [{ email: 'ann@corp.example', primary: true, is_primary: true }]
    for (const provider of ['provider_b', 'provider_c', 'provider_d', 'provider_e'] as const)
      expect([provider, await isVouchedFor(trusting(provider), { user, emails })]).toEqual([provider, true])
    for (const provider of ['provider_a', 'provider_f'] as const)
      expect([provider, await isVouchedFor(trusting(provider))]).toEqual([provider, true])
  })

  // Proves sign-in/73.
  test('It counts at one tenant of Entra, and at none that stands for many', async () => {
    expect(await isVouchedFor(trusting('provider_g', { tenant: entraTenant }))).toBe(true)
    expect(await isVouchedFor(trusting('provider_g', { tenant: 'contoso.example' }))).toBe(true)
    for (const tenant of ['common', 'organizations'])
      expect(await isVouchedFor(trusting('provider_g', { tenant }))).toBe(false)
    const issuer = overrides.provider_g?.issuer?.replace('{tenant}', 'common') ?? ''
    const manyBehindOne = open({ provider_g: { issuer } })
    expect(await isVouchedFor(trusting('provider_g'), person, manyBehindOne)).toBe(false)
  })
})
