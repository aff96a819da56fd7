import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { type Browser, baseUrl, type Going, openBrowser } from '../support/browser.ts'
import type { Service } from '../support/service.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import { otherClient } from '../support/upstreams.ts'

const callback = /\/sso\/callback\//
/** The way back to the issuer, where the result is collected. */
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/
const flowPage = /\/sso\/flows\//
/** Where the application's request is answered with a redirect to. */
const anywhere = /^/
/** Of the provider that a tenant begins with. */
const provider = /client_id=signet/
const mallory = { sub: 'mallory-1', email: 'mallory@gmail.com', email_verified: true }
const other = { client_id: otherClient.clientId, client_secret: otherClient.clientSecret }

let signIns: SignIns
let service: Service
let tenant: Tenant
/** The victim's is the tenant's own. */
let attacker: Browser

beforeAll(async () => {
  signIns = await startSignIns()
  service = signIns.service
})

afterAll(() => signIns?.stop())

beforeEach(async () => {
  tenant = await signIns.tenant()
  attacker = openBrowser(() => service.baseUrl)
})

const as = (method: string, path: string, body?: unknown) => service.as(tenant.organization, method, path, body)
const linkByAddress = () => as('PATCH', '/organizations/settings', { link_by_verified_email: true })

async function leave(
  browser: Browser,
  stopAt: RegExp,
  { params, ...going }: Going & { params?: Record<string, string> } = {},
) {
  const begun = await tenant.application.begin(params)
  return { begun, at: (await browser.go(begun.url, { person: ada, stopAt, ...going })).url }
}

/** Up to where the result waits to be collected; with the callback that has led there. */
async function leaveUncollected(browser: Browser, going: Going = {}) {
  const { begun, at: called } = await leave(browser, callback, going)
  return { begun, called, at: (await browser.go(called, { stopAt: wayBack })).url }
}

/** Of a browser at the end of a sign-in that is not its own. */
const turnedAway = { url: expect.stringMatching(wayBack), status: 400 }

async function isSignedIn(browser: Browser): Promise<boolean> {
  const { url } = await tenant.application.begin({ prompt: 'none' })
  return errorIn(await browser.go(url)) === undefined
}

/** Whoever has that session's cookie, and no other one. */
async function isGood(cookie: string): Promise<boolean> {
  const { url } = await tenant.application.begin({ prompt: 'none' })
  return (await ask(url, { cookie })).to.searchParams.has('code')
}

/** What a request is answered that no browser of the tests would make. */
async function ask(url: string, headers: Record<string, string>) {
  const answer = await fetch(url.replace(baseUrl, service.baseUrl), { redirect: 'manual', headers })
  return { answer, to: new URL(answer.headers.get('location') ?? url, baseUrl) }
}

/** Of the request that the attacker has begun, wherever the attacker was led by it. */
function addressesOfAttacker() {
  const [, uid = ''] = /signet-interaction-([\w-]{43})=/.exec(attacker.cookiesFor(baseUrl)) ?? []
  const { id } = tenant.organization
  return { uid, page: `${baseUrl}/sso/flows/${id}/${uid}` }
}

/** All cookies of that request, and those that the library would know it by, as if they were for every path. */
function plantRequestOfAttacker() {
  const { page, uid } = addressesOfAttacker()
  tenant.browser.plant(`${attacker.cookiesFor(page)}; signet_interaction=${uid}; signet_resume=${uid}`)
  expect(tenant.browser.cookiesFor(baseUrl)).toMatch(/signet_interaction=.*signet_resume=/)
}

describe('Attacks between browser and service', () => {
  // Proves sign-in/1.
  test('Login CSRF: the callback of the attacker signs nobody else in as the attacker (RFC 9700, 4.7)', async () => {
    const { at } = await leave(attacker, callback, { person: mallory })
    expect(await tenant.browser.go(at)).toMatchObject(turnedAway)
    expect(await isSignedIn(tenant.browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  // Proves sign-in/1.
  test('Login CSRF: amid a sign-in of their own the victim is signed in as themselves', async () => {
    const { sub } = await tenant.application.signIn(
      openBrowser(() => service.baseUrl),
      { person: ada },
    )
    const own = await leave(tenant.browser, callback)
    const { at } = await leave(attacker, callback, { person: mallory })
    expect(await tenant.browser.go(at)).toMatchObject(turnedAway)
    const end = await tenant.browser.go(own.at)
    expect((await tenant.application.finish(own.begun, end.url)).sub).toBe(sub)
    expect(await tenant.endings()).toEqual(['succeeded', 'oidc_state_mismatch', 'succeeded'])
  })

  // Proves sign-in/2.
  test('Login CSRF: a callback of the victim that comes from the attacker first signs nobody in', async () => {
    const { at } = await leave(tenant.browser, callback)
    expect(await attacker.go(at)).toMatchObject(turnedAway)
    expect(errorIn(await tenant.browser.go(at))).toBe('server_error')
    for (const browser of [attacker, tenant.browser]) expect(await isSignedIn(browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  // Proves sign-in/2.
  test('Login CSRF: a callback of the victim gives the attacker nothing while its result waits', async () => {
    const { begun, called, at } = await leaveUncollected(tenant.browser)
    for (const url of [called, at]) expect(await attacker.go(url)).toMatchObject({ url, status: 400 })
    expect(await isSignedIn(attacker)).toBe(false)
    const end = await tenant.browser.go(at)
    expect(await tenant.application.finish(begun, end.url)).toHaveProperty('sub')
  })

  describe.each([
    ['where there is nothing to choose', 1],
    ['where there is something to choose', 2],
  ])('Attacks %s', (_, ways) => {
    beforeEach(async () => {
      if (ways > 1) await tenant.addCredential(providers.okta, other)
    })

    // Proves sign-in/2.
    test('Session fixation: a victim whom the attacker sends to a page of their own sign-in is turned away', async () => {
      await leave(attacker, anywhere)
      const { page } = addressesOfAttacker()
      expect(await tenant.browser.go(page, { person: ada })).toMatchObject({ url: page, status: 400 })
      expect((await tenant.browser.go(page, { form: { cancel: 'yes' } })).status).toBe(400)
      expect(await tenant.events()).toEqual([])
    })

    // Proves sign-in/3.
    test('Cookie tossing: a neighbour who plants the cookies of their own request leads nobody through it', async () => {
      await leave(attacker, anywhere)
      plantRequestOfAttacker()
      const { page } = addressesOfAttacker()
      expect(await tenant.browser.go(page, { person: ada })).toMatchObject({ url: page, status: 400 })
      expect((await tenant.browser.go(page, { form: { cancel: 'yes' } })).status).toBe(400)
      expect(await tenant.events()).toEqual([])
    })
  })

  // Proves sign-in/3.
  test.each([
    ['their callback', callback],
    ['their way to the provider', provider],
  ])('Cookie tossing: with planted cookies %s signs nobody in either', async (_, stopAt) => {
    const { at } = await leave(attacker, stopAt, { person: mallory })
    plantRequestOfAttacker()
    const end = await tenant.browser.go(at, { person: ada })
    expect(end).toMatchObject(turnedAway)
    for (const browser of [attacker, tenant.browser]) expect(await isSignedIn(browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  // Proves sign-in/3.
  test('Cookie tossing: nobody collects a sign-in whose cookies a neighbour planted', async () => {
    const { begun, called, at } = await leaveUncollected(attacker, { person: mallory })
    plantRequestOfAttacker()
    for (const url of [called, at]) expect(await tenant.browser.go(url)).toMatchObject({ url, status: 400 })
    expect(await isSignedIn(tenant.browser)).toBe(false)
    const end = await attacker.go(at)
    expect(await tenant.application.finish(begun, end.url)).toHaveProperty('sub')
  })

  // Proves sign-in/3.
  test('Cookie tossing: a callback leads back to its own request, whichever one a neighbour planted', async () => {
    const { sub } = await tenant.application.signIn(
      openBrowser(() => service.baseUrl),
      { person: ada },
    )
    const own = await leave(tenant.browser, callback)
    await leaveUncollected(attacker, { person: mallory })
    plantRequestOfAttacker()
    const end = await tenant.browser.go(own.at)
    expect((await tenant.application.finish(own.begun, end.url)).sub).toBe(sub)
  })

  // Proves sign-in/3.
  test('Cookie tossing: a neighbour who plants their own session has nobody signed in as themselves', async () => {
    await tenant.application.signIn(attacker, { person: mallory })
    tenant.browser.plant(attacker.cookiesFor(`${baseUrl}/oidc/${tenant.organization.id}/authorize`))
    expect(await isSignedIn(tenant.browser)).toBe(false)
    expect(await isSignedIn(attacker)).toBe(true)
  })

  // Proves sign-in/2.
  test('Session fixation at the provider: the person whom the attacker sends there is not theirs', async () => {
    const { at } = await leave(attacker, provider)
    const { url } = await tenant.browser.go(at, { person: ada, stopAt: callback })
    expect(await tenant.browser.go(url)).toMatchObject(turnedAway)
    expect(errorIn(await attacker.go(url))).toBe('server_error')
    for (const browser of [attacker, tenant.browser]) expect(await isSignedIn(browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  // Proves sign-in/2.
  test('Session fixation: a session does not get the id that somebody made up for it', async () => {
    const { at } = await leave(tenant.browser, wayBack)
    const madeUp = `__Host-signet-session-${tenant.organization.id}=${'A'.repeat(43)}`
    const { answer, to } = await ask(at, { cookie: `${tenant.browser.cookiesFor(at)}; ${madeUp}` })
    expect(to.searchParams.has('code')).toBe(true)
    const [own = ''] = answer.headers.getSetCookie().filter((line) => line.startsWith('__Host-signet-session-'))
    expect(await isGood(own.split(';')[0] ?? '')).toBe(true)
    expect(await isGood(madeUp)).toBe(false)
  })

  // Proves sign-in/4.
  test('A cookie that was made up for the flow is not the one it began with', async () => {
    const { at } = await leave(tenant.browser, callback)
    const forged = tenant.browser.cookiesFor(at).replace(/(signet-flow-[^;]*\.)[\w-]{43}/, `$1${'A'.repeat(43)}`)
    const { answer, to } = await ask(at, { cookie: forged })
    expect(answer.status).toBe(303)
    expect(errorIn(await tenant.browser.go(to.href))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  // Proves sign-in/16.
  test('Open redirect: the way back leads to the registered address, whatever the callback is given', async () => {
    const { begun, at } = await leave(tenant.browser, callback)
    const injected =
      'redirect_uri=https://evil.test/&return_to=https://evil.test/&response_mode=fragment&client_id=evil'
    const end = await tenant.browser.go(`${at}&${injected}`)
    expect(new URL(end.url).origin).toBe('https://app.test')
    expect(await tenant.application.finish(begun, end.url)).toHaveProperty('sub')
  })

  // Proves sign-in/15, sign-in/17.
  describe('A forged Host', () => {
    const forged = { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' }

    async function askForged(url: string) {
      const { answer, to } = await ask(url, { cookie: tenant.browser.cookiesFor(url), ...forged })
      const { headers } = answer
      expect(headers.get('cache-control')).toBe('no-store')
      for (const line of headers.getSetCookie()) expect(line.toLowerCase()).toContain('; secure')
      return { to, cookies: headers.getSetCookie(), policy: headers.get('referrer-policy') }
    }

    test('A forged Host leads nowhere else on the way to the provider', async () => {
      const { to, cookies, policy } = await askForged((await tenant.application.begin()).url)
      expect(to.searchParams.get('redirect_uri')).toBe(tenant.callbackUrl)
      expect([cookies.length > 0, policy]).toEqual([true, 'no-referrer'])
    })

    test('A forged Host leads nowhere else on the way to the page', async () => {
      const { to, cookies } = await askForged((await tenant.application.begin({ idp: 'nobody' })).url)
      expect(to.href).toMatch(`${baseUrl}/sso/flows/`)
      expect(cookies).not.toEqual([])
    })

    test('A forged Host leads nowhere else from the page, where the sign-in is over before it begins', async () => {
      const { at } = await leave(tenant.browser, flowPage, { params: { idp: 'nobody' } })
      const { to, policy } = await askForged(at)
      expect([to.href, policy]).toEqual([expect.stringMatching(wayBack), 'no-referrer'])
      expect(to.href).toMatch(`${baseUrl}/oidc/`)
    })

    test('A forged Host leads nowhere else with the callback of the provider', async () => {
      const { at } = await leave(tenant.browser, callback)
      const { to, cookies, policy } = await askForged(at)
      expect(to.href).toMatch(`${baseUrl}/oidc/`)
      expect([cookies.length > 0, policy]).toEqual([true, 'no-referrer'])
    })

    test('A forged Host leads nowhere else when the result is collected', async () => {
      const { at } = await leave(tenant.browser, wayBack)
      const { to, cookies } = await askForged(at)
      expect(to.origin).toBe('https://app.test')
      expect(to.searchParams.get('iss')).toBe(`${baseUrl}/oidc/${tenant.organization.id}`)
      expect(cookies).not.toEqual([])
    })
  })

  // Proves sign-in/17.
  test('A forged X-Forwarded-For is believed of nobody but a trusted proxy', async () => {
    const { url } = await tenant.application.begin()
    const back = async (env: Record<string, string>) => {
      const node = await signIns.startNode({ env })
      const browser = openBrowser(
        () => node.baseUrl,
        () => {},
        { 'x-forwarded-for': '203.0.113.9' },
      )
      await browser.go(url, { person: ada })
      await node.stop()
      return (await tenant.events()).at(-1).analytics_metadata.client_ip_address
    }
    expect(await back({})).toBe('127.0.0.1')
    expect(await back({ SIGNET_TRUSTED_PROXIES: '127.0.0.1/32' })).toBe('203.0.113.9')
  })

  // Proves sign-in/12.
  test('A reader of the database finds neither state nor verifier nor nonce nor the secret of a cookie', async () => {
    const { at } = await leave(tenant.browser, callback)
    const [, secret = ''] = /signet-flow-[^;]*\.([\w-]{43})/.exec(tenant.browser.cookiesFor(at)) ?? []
    const { rows } = await signIns.inside.query(
      `select f::text as row, encode(expected, 'escape') as expected from flows f where org_id = $1`,
      [tenant.organization.id],
    )
    expect(rows).toHaveLength(1)
    for (const word of [new URL(at).searchParams.get('state') ?? '', secret, 'codeVerifier', 'nonce'])
      expect(JSON.stringify(rows)).not.toContain(word)
  })

  // Proves sign-in/12.
  test('A reader of the database can make no cookie that collects a sign-in, or is a session', async () => {
    const { begun, called, at } = await leaveUncollected(tenant.browser)
    const { rows } = await signIns.inside.query(
      'select id, interaction_uid, secret_hash, state_hash from flows where org_id = $1',
      [tenant.organization.id],
    )
    const [{ id, interaction_uid: uid, secret_hash, state_hash }] = rows
    for (const secret of [secret_hash, state_hash].map((hash) => hash.toString('base64url'))) {
      const flow = `__Host-signet-flow-${id}=${tenant.organization.id}.${secret}`
      const interaction = `__Host-signet-interaction-${uid}=${Date.now()}.${secret}`
      const cookie = `${flow}; ${interaction}; signet_interaction=${uid}; signet_resume=${uid}`
      for (const url of [called, at]) expect((await ask(url, { cookie })).answer.status).toBe(400)
    }
    const end = await tenant.browser.go(at)
    expect(await tenant.application.finish(begun, end.url)).toHaveProperty('sub')
    const sessions = await signIns.inside.query('select uid, id_hash from issuer_sessions where org_id = $1', [
      tenant.organization.id,
    ])
    const [{ uid: sessionUid, id_hash }] = sessions.rows
    for (const value of [sessionUid, id_hash.toString('base64url'), id_hash.toString('hex')])
      expect(await isGood(`__Host-signet-session-${tenant.organization.id}=${value}`)).toBe(false)
    expect(await isSignedIn(tenant.browser)).toBe(true)
  })
})

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
    expect(await handlesOf(sub)).toEqual([])
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
    const first = await subjectOf(ada)
    await takeIdentityOf(first)
    await signIns.inside.query('delete from former_identities')
    expect(await handlesOf(first)).toMatchObject([{ value: ada.email, verified: true }])
    expect(await subjectOf(successor)).not.toBe(first)
  })

  // Proves sign-in/33.
  test('An address is linked once an admin key has vouched for it, and no more once it takes that back', async () => {
    await linkByAddress()
    const owner = await addPerson(false)
    const vouch = (verified: boolean) =>
      as('PATCH', `/persons/${owner}`, { handles: [{ type: 'EmailAddress', value: ada.email, verified }] })
    await vouch(true)
    await vouch(false)
    expect(await subjectOf(successor)).not.toBe(owner)
    await vouch(true)
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
