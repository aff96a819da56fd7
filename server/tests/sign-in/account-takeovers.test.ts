import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { attacker, isSignedIn, leave, mallory, newVictim } from '../support/attacked-sign-ins.ts'
import { openBrowser } from '../support/browser.ts'
import { as, callback, closeSignIns, openSignIns, other, service, tenant } from '../support/own-sign-ins.ts'
import { ada, providers } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(newVictim)

const linkByAddress = () => as('PATCH', '/organizations/settings', { link_by_verified_email: true })

describe('Attacks between service and providers', () => {
  // Proves sign-in/18.
  test.each([
    ['another provider', providers.lying],
    ['another client at the same one', providers.google],
  ])('Mix-up: a callback is not heard at the address of %s (RFC 9700, 4.4)', async (_, provider) => {
    const elsewhere = await tenant.addCredential(provider, other)
    const { at } = await leave(tenant.browser, callback, { params: { idp: 'signet' } })
    expect(errorIn(await tenant.browser.go(`${elsewhere}${new URL(at).search}`))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
    expect((await tenant.browser.go(at)).status).toBe(400)
    expect(await isSignedIn(tenant.browser)).toBe(false)
  })

  // Proves sign-in/19.
  test("Code injection: the code of the victim is worth nothing in the attacker's sign-in (RFC 9700, 4.5)", async () => {
    const stolen = await leave(tenant.browser, callback)
    const own = await leave(attacker, callback, { person: mallory })
    const injected = new URL(own.at)
    injected.searchParams.set('code', new URL(stolen.at).searchParams.get('code') ?? '')
    expect(errorIn(await attacker.go(injected.href))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['oidc_provider_error'])
    expect(await isSignedIn(attacker)).toBe(false)
  })

  // Proves sign-in/39.
  test('One subject at two issuers is two persons', async () => {
    await tenant.addCredential(providers.okta, other)
    const first = await tenant.application.signIn(tenant.browser, { person: ada, params: { idp: 'signet' } })
    const second = await tenant.application.signIn(attacker, { person: ada, params: { idp: other.client_id } })
    expect(second.sub).not.toBe(first.sub)
  })

  // Proves sign-in/28.
  test('A text of the provider is shown nowhere', async () => {
    const { at } = await leave(tenant.browser, callback)
    const back = new URL(at)
    back.searchParams.delete('code')
    back.searchParams.set('error', 'odd')
    back.searchParams.set('error_description', '<script>alert(1)</script>')
    const { url } = await tenant.browser.go(back.href)
    expect(url).not.toContain('alert')
  })
})

describe('A person who is not the one that the application wants (id_token_hint; OpenID Connect Core, 3.1.2.1)', () => {
  // Proves sign-in/64.
  test.each<[string, object]>([
    ['somebody who is known', mallory],
    ['somebody new', { ...mallory, sub: 'mallory-2' }],
  ])('A person other than the hinted one is not signed in in their place: %s', async (_, person) => {
    const { application } = tenant
    await application.signIn(attacker, { person: mallory })
    const { begun, at } = await leave(tenant.browser, /^https:\/\/app\.test/)
    const { id_token = '' } = await application.exchange(begun, at)
    const before = await tenant.endings()
    const browser = openBrowser(() => service.baseUrl)
    const wanted = await application.begin({ id_token_hint: id_token })
    expect(errorIn(await browser.go(wanted.url, { person }))).toBe('login_required')
    expect(await tenant.endings()).toEqual([...before, 'person_mismatch'])
    expect(await tenant.persons()).toHaveLength(2)
    expect(await isSignedIn(browser)).toBe(false)
    const own = await application.begin({ id_token_hint: id_token })
    expect(errorIn(await browser.go(own.url, { person: ada }))).toBeUndefined()
  })
})

describe('Takeovers of an account', () => {
  const addPerson = async (verified: boolean) =>
    (await as('POST', '/persons', { handles: [{ type: 'EmailAddress', value: ada.email, verified }] })).body.result
      .person_id as string
  const subjectOf = async (person: object) =>
    (
      await tenant.application.signIn(
        openBrowser(() => service.baseUrl),
        { person },
      )
    ).sub
  const identitiesOf = async (personId: string) => (await as('GET', `/persons/${personId}/identities`)).body.result
  const takeIdentityOf = async (personId: string) =>
    as('DELETE', `/persons/${personId}/identities/${(await identitiesOf(personId))[0].id}`)
  const handlesOf = async (personId: string) => (await as('GET', `/persons/${personId}`)).body.result.handles

  // Proves sign-in/35.
  test('Pre-hijacking: an attacker who waits with an unverified address gets nobody who proves it', async () => {
    await linkByAddress()
    const waiting = await addPerson(false)
    const sub = await subjectOf(ada)
    expect(sub).not.toBe(waiting)
    expect(await handlesOf(waiting)).toEqual([])
    expect(await handlesOf(sub)).toMatchObject([{ value: ada.email, verified: true }])
  })

  // Proves sign-in/36.
  test('NOAuth: an address that the provider does not vouch for is linked to nobody, and becomes no handle', async () => {
    await linkByAddress()
    const victim = await addPerson(true)
    const sub = await subjectOf({ ...mallory, email: ada.email, email_verified: false })
    expect(sub).not.toBe(victim)
    expect(await handlesOf(sub)).toEqual([])
    expect(await handlesOf(victim)).toMatchObject([{ value: ada.email }])
  })

  // Proves sign-in/40.
  test('An address is linked to nobody where the organization does not want that', async () => {
    const victim = await addPerson(true)
    const sub = await subjectOf(ada)
    expect(sub).not.toBe(victim)
    expect(await handlesOf(sub)).toEqual([])
  })

  test('An address that both sides have proven is linked to the person, where the organization wants that', async () => {
    await linkByAddress()
    await as('PATCH', '/organizations/settings', { self_registration: false })
    const owner = await addPerson(true)
    expect(await subjectOf({ ...ada, email: 'Ada@GMAIL.com' })).toBe(owner)
    expect(await subjectOf(ada)).toBe(owner)
    expect(await tenant.persons()).toHaveLength(1)
  })

  // Proves sign-in/41.
  test('Eight first sign-ins at once are linked to one person, with one identity', async () => {
    await linkByAddress()
    const owner = await addPerson(true)
    const claims = await Promise.all(
      Array.from({ length: 8 }, () =>
        tenant.application.signIn(
          openBrowser(() => service.baseUrl),
          { person: ada },
        ),
      ),
    )
    expect(new Set(claims.map(({ sub }) => sub))).toEqual(new Set([owner]))
    expect((await as('GET', `/persons/${owner}/identities`)).body.result).toHaveLength(1)
  })

  // Proves sign-in/38.
  test('An address that moves to another account at the provider takes nobody along', async () => {
    const first = await subjectOf(ada)
    const second = await subjectOf({ ...mallory, email: ada.email })
    expect(second).not.toBe(first)
  })

  const successor = { ...mallory, email: ada.email }

  // Proves sign-in/32.
  test.each<[string, object | undefined]>([
    ['at the provider has the address as well', undefined],
    ['got it after the provider said that theirs is another one', { ...ada, email: 'ada.new@gmail.com' }],
    ['got it after the provider said that it is not confirmed any more', { ...ada, email_verified: false }],
    ['got it after the provider said nothing more of it', { sub: ada.sub }],
  ])('A second account that %s is a person of its own', async (_, later) => {
    await linkByAddress()
    const owner = await addPerson(true)
    expect(await subjectOf(ada)).toBe(owner)
    if (later) expect(await subjectOf(later)).toBe(owner)
    const sub = await subjectOf(successor)
    expect(sub).not.toBe(owner)
    expect(await subjectOf(successor)).toBe(sub)
    expect(await handlesOf(sub)).toEqual([])
    expect(await identitiesOf(owner)).toMatchObject([{ subject: ada.sub }])
  })

  // Proves sign-in/33.
  test('An address that only a provider has vouched for is linked to nobody', async () => {
    await linkByAddress()
    const own = { ...ada, email: 'ada@corp.example', hd: 'corp.example' }
    const first = await subjectOf(own)
    expect(await handlesOf(first)).toMatchObject([{ value: own.email, verified: true }])
    await tenant.addCredential(providers.okta, { ...other, trust_email_domains: ['corp.example'] })
    const { sub } = await tenant.application.signIn(
      openBrowser(() => service.baseUrl),
      { person: { ...own, sub: 'mallory-1' }, params: { idp: other.client_id } },
    )
    expect((await identitiesOf(sub))[0].email).toBe(own.email)
    expect(sub).not.toBe(first)
  })

  // Proves sign-in/33.
  test('An address is linked once an admin key has vouched for it, and no more once it takes that back', async () => {
    await linkByAddress()
    const owner = await addPerson(false)
    const vouch = (verified: boolean) =>
      as('PATCH', `/persons/${owner}`, { handles: [{ type: 'EmailAddress', value: ada.email, verified }] })
    await vouch(true)
    await vouch(false)
    const later = await subjectOf(successor)
    expect(later).not.toBe(owner)
    expect((await vouch(true)).status).toBe(409)
    await as('DELETE', `/persons/${later}`)
    expect((await vouch(true)).status).toBe(200)
    expect(await subjectOf(ada)).toBe(owner)
  })

  // Proves sign-in/32.
  test('Nobody registers by an address that is another account’s, where nobody may register', async () => {
    await linkByAddress()
    await as('PATCH', '/organizations/settings', { self_registration: false })
    await addPerson(true)
    await subjectOf(ada)
    const { url } = await tenant.application.begin()
    expect(errorIn(await tenant.browser.go(url, { person: successor }))).toBe('access_denied')
    expect(await tenant.persons()).toHaveLength(1)
  })

  // Proves sign-in/34.
  test('An identity that was taken away is never linked again, and nor does another account take its place', async () => {
    await linkByAddress()
    const owner = await addPerson(true)
    await subjectOf(ada)
    await takeIdentityOf(owner)
    const sub = await subjectOf(ada)
    expect(sub).not.toBe(owner)
    expect(await subjectOf(ada)).toBe(sub)
    const later = await subjectOf(successor)
    expect([owner, sub]).not.toContain(later)
    for (const person of [owner, sub]) await as('DELETE', `/persons/${person}`)
    const successorOfOwner = await addPerson(true)
    expect(await subjectOf(ada)).not.toBe(successorOfOwner)
  })

  // Proves sign-in/32.
  test('Of eight accounts with one address that come at once, one is linked to the person', async () => {
    await linkByAddress()
    const owner = await addPerson(true)
    const accounts = Array.from({ length: 8 }, (_, n) => ({ ...ada, sub: `account-${n}` }))
    const subjects = await Promise.all(accounts.map(subjectOf))
    expect(new Set(subjects).size).toBe(8)
    expect(subjects.filter((sub) => sub === owner)).toHaveLength(1)
    expect(await identitiesOf(owner)).toHaveLength(1)
  })

  // Proves sign-in/42.
  test('A person who is not active does not come back by linking', async () => {
    await linkByAddress()
    const owner = await addPerson(true)
    await as('PATCH', `/persons/${owner}`, { active: false })
    const { url } = await tenant.application.begin()
    expect(errorIn(await tenant.browser.go(url, { person: ada }))).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['person_not_active'])
  })
})
