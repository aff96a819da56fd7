import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { attacker, isSignedIn, leave, mallory, newVictim } from '../support/attacked-sign-ins.ts'
import { type Browser, baseUrl, type Going, openBrowser } from '../support/browser.ts'
import { callback, closeSignIns, openSignIns, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { ada, providers } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(newVictim)

/** Of the provider that a tenant begins with. */
const provider = /client_id=signet/

/** The way back to the issuer, where the result is collected. */
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/
const flowPage = /\/sso\/flows\//

/** Where the application's request is answered with a redirect to. */
const anywhere = /^/

/** Up to where the result waits to be collected; with the callback that has led there. */
async function leaveUncollected(browser: Browser, going: Going = {}) {
  const { begun, at: called } = await leave(browser, callback, going)
  return { begun, called, at: (await browser.go(called, { stopAt: wayBack })).url }
}

/** Of a browser at the end of a sign-in that is not its own. */
const turnedAway = { url: expect.stringMatching(wayBack), status: 400 }

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
  test('Login CSRF: the callback of the attacker signs nobody else in as the attacker (RFC 9700, 4.7)', async () => {
    const { at } = await leave(attacker, callback, { person: mallory })
    expect(await tenant.browser.go(at)).toMatchObject(turnedAway)
    expect(await isSignedIn(tenant.browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

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

  test('Login CSRF: a callback of the victim that comes from the attacker first signs nobody in', async () => {
    const { at } = await leave(tenant.browser, callback)
    expect(await attacker.go(at)).toMatchObject(turnedAway)
    expect(errorIn(await tenant.browser.go(at))).toBe('server_error')
    for (const browser of [attacker, tenant.browser]) expect(await isSignedIn(browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

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

    test('Session fixation: a victim whom the attacker sends to a page of their own sign-in is turned away', async () => {
      await leave(attacker, anywhere)
      const { page } = addressesOfAttacker()
      expect(await tenant.browser.go(page, { person: ada })).toMatchObject({ url: page, status: 400 })
      expect((await tenant.browser.go(page, { form: { cancel: 'yes' } })).status).toBe(400)
      expect(await tenant.events()).toEqual([])
    })

    test('Cookie tossing: a neighbour who plants the cookies of their own request leads nobody through it', async () => {
      await leave(attacker, anywhere)
      plantRequestOfAttacker()
      const { page } = addressesOfAttacker()
      expect(await tenant.browser.go(page, { person: ada })).toMatchObject({ url: page, status: 400 })
      expect((await tenant.browser.go(page, { form: { cancel: 'yes' } })).status).toBe(400)
      expect(await tenant.events()).toEqual([])
    })
  })

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

  test('Cookie tossing: nobody collects a sign-in whose cookies a neighbour planted', async () => {
    const { begun, called, at } = await leaveUncollected(attacker, { person: mallory })
    plantRequestOfAttacker()
    for (const url of [called, at]) expect(await tenant.browser.go(url)).toMatchObject({ url, status: 400 })
    expect(await isSignedIn(tenant.browser)).toBe(false)
    const end = await attacker.go(at)
    expect(await tenant.application.finish(begun, end.url)).toHaveProperty('sub')
  })

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

  test('Cookie tossing: a neighbour who plants their own session has nobody signed in as themselves', async () => {
    await tenant.application.signIn(attacker, { person: mallory })
    tenant.browser.plant(attacker.cookiesFor(`${baseUrl}/oidc/${tenant.organization.id}/authorize`))
    expect(await isSignedIn(tenant.browser)).toBe(false)
    expect(await isSignedIn(attacker)).toBe(true)
  })

  test('Session fixation at the provider: the person whom the attacker sends there is not theirs', async () => {
    const { at } = await leave(attacker, provider)
    const { url } = await tenant.browser.go(at, { person: ada, stopAt: callback })
    expect(await tenant.browser.go(url)).toMatchObject(turnedAway)
    expect(errorIn(await attacker.go(url))).toBe('server_error')
    for (const browser of [attacker, tenant.browser]) expect(await isSignedIn(browser)).toBe(false)
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  test('Session fixation: a session does not get the id that somebody made up for it', async () => {
    const { at } = await leave(tenant.browser, wayBack)
    const madeUp = `__Host-signet-session-${tenant.organization.id}=${'A'.repeat(43)}`
    const { answer, to } = await ask(at, { cookie: `${tenant.browser.cookiesFor(at)}; ${madeUp}` })
    expect(to.searchParams.has('code')).toBe(true)
    const [own = ''] = answer.headers.getSetCookie().filter((line) => line.startsWith('__Host-signet-session-'))
    expect(await isGood(own.split(';')[0] ?? '')).toBe(true)
    expect(await isGood(madeUp)).toBe(false)
  })

  test('A cookie that was made up for the flow is not the one it began with', async () => {
    const { at } = await leave(tenant.browser, callback)
    const forged = tenant.browser.cookiesFor(at).replace(/(signet-flow-[^;]*\.)[\w-]{43}/, `$1${'A'.repeat(43)}`)
    const { answer, to } = await ask(at, { cookie: forged })
    expect(answer.status).toBe(303)
    expect(errorIn(await tenant.browser.go(to.href))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  test('Open redirect: the way back leads to the registered address, whatever the callback is given', async () => {
    const { begun, at } = await leave(tenant.browser, callback)
    const injected =
      'redirect_uri=https://evil.test/&return_to=https://evil.test/&response_mode=fragment&client_id=evil'
    const end = await tenant.browser.go(`${at}&${injected}`)
    expect(new URL(end.url).origin).toBe('https://app.test')
    expect(await tenant.application.finish(begun, end.url)).toHaveProperty('sub')
  })

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
