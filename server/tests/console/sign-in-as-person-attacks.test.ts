import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeApplication } from '../support/application.ts'
import { baseUrl, openBrowser, type Page } from '../support/browser.ts'
import { atHome, enter, entrance, home, newAdministrator, sessionOf } from '../support/entering-console.ts'
import { as, closeSignIns, newTenant, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { ada } from '../support/sign-ins.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

const newBrowser = () => openBrowser(() => service.baseUrl)
const authorize = /\/authorize\?/
const callback = /\/console\/callback\?/

/** The request that a browser is about to make of the issuer. */
async function requestOf(browser = tenant.browser) {
  return new URL((await browser.go(entrance(), { stopAt: authorize })).url)
}

const changed = (url: URL, changes: Record<string, string | undefined>) => {
  const copy = new URL(url)
  for (const [name, value] of Object.entries(changes)) {
    copy.searchParams.delete(name)
    if (value !== undefined) copy.searchParams.set(name, value)
  }
  return copy
}

/** Where the issuer sends the browser, which does not go there. */
const answerTo = async (url: URL, browser = tenant.browser) =>
  new URL((await browser.go(url.href, { person: ada, stopAt: callback })).url)

const isLost = ({ status, html, headers }: Page) => {
  expect(status).toBe(400)
  expect(html).toContain('begun in another browser')
  expect(headers.getSetCookie().join()).not.toContain('signet-console-')
}
const hasSession = async (browser = tenant.browser) => (await sessionOf(browser)).status === 200

describe('A code of the console', () => {
  beforeEach(() => newAdministrator())

  // Proves console/25.
  test('is good once', async () => {
    const url = await answerTo(await requestOf())
    expect((await tenant.browser.go(url.href, { stopAt: atHome })).url).toBe(baseUrl + home())
    const { id } = (await sessionOf(tenant.browser)).result
    isLost(await tenant.browser.go(url.href, { stopAt: atHome }))
    expect((await sessionOf(tenant.browser)).result.id).toBe(id)
  })

  // Proves console/25.
  test('is good for nobody who steals it, and for its own browser all the same', async () => {
    const thief = newBrowser()
    await thief.go(entrance(), { stopAt: authorize })
    const url = await answerTo(await requestOf())
    isLost(await thief.go(url.href, { stopAt: atHome }))
    expect(await hasSession(thief)).toBe(false)
    expect((await tenant.browser.go(url.href, { stopAt: atHome })).url).toBe(baseUrl + home())
  })

  // Proves console/26.
  test('of an attacker signs nobody else in (login CSRF), with the state of the victim neither', async () => {
    const attacker = newBrowser()
    await tenant.application.signIn(attacker, { person: ada })
    const theirs = await answerTo(await requestOf(attacker), attacker)
    const victim = newBrowser()
    const mine = await requestOf(victim)
    isLost(await victim.go(theirs.href, { stopAt: atHome }))
    const state = mine.searchParams.get('state') ?? ''
    isLost(await victim.go(changed(theirs, { state }).href, { stopAt: atHome }))
    expect(await hasSession(victim)).toBe(false)
  })

  // Proves console/25.
  test.each([
    ['another verifier', { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }],
    ['the verifier in clear', { code_challenge_method: undefined }],
  ])('for %s is not good', async (_what, changes) => {
    const answer = await answerTo(changed(await requestOf(), changes))
    const page = await tenant.browser.go(answer.href, { stopAt: atHome })
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect(await hasSession()).toBe(false)
  })

  // Proves console/27.
  test('that an application gets which imitates the console is not good', async () => {
    const redirect_uris = [`${baseUrl}/console/callback`]
    const fields = { name: 'Signet console', redirect_uris, confidential: false }
    const { body } = await as('POST', '/organizations/applications', fields)
    const answer = await answerTo(changed(await requestOf(), { client_id: body.result.client_id }))
    expect(answer.searchParams.get('code')).toBeTruthy()
    isLost(await tenant.browser.go(answer.href, { stopAt: atHome }))
    expect(await hasSession()).toBe(false)
  })

  // Proves console/28.
  test('of another organization is not good, whichever issuer and state it comes with', async () => {
    const [ours, browser] = [tenant, tenant.browser]
    const mine = await answerTo(await requestOf())
    await newTenant()
    await newAdministrator(browser)
    const theirs = await answerTo(await requestOf(browser), browser)
    const iss = theirs.searchParams.get('iss') ?? ''
    const code = theirs.searchParams.get('code') ?? ''
    isLost(await browser.go(changed(mine, { iss }).href, { stopAt: atHome }))
    isLost(await browser.go(changed(mine, { iss: undefined }).href, { stopAt: atHome }))
    isLost(await browser.go(changed(mine, { code }).href, { stopAt: atHome }))
    // The sign-in was this browser's own, and is over by the wrong code.
    isLost(await browser.go(mine.href, { stopAt: atHome }))
    expect(ours.organization.id).not.toBe(tenant.organization.id)
    expect(browser.cookiesFor(baseUrl)).not.toContain('signet-console-')
  })

  test('is too old after its time', async () => {
    const url = await answerTo(await requestOf())
    await signIns.inside.query(`update issuer_tokens set expires_at = now() - interval '1 s' where org_id = $1`, [
      tenant.organization.id,
    ])
    isLost(await tenant.browser.go(url.href, { stopAt: atHome }))
  })

  test('begins no session where the session of the issuer has ended on the way', async () => {
    const url = await answerTo(await requestOf())
    const { body } = await as('GET', '/persons')
    await as('DELETE', `/persons/${body.result[0].person_id}/sessions`)
    isLost(await tenant.browser.go(url.href, { stopAt: atHome }))
    expect(await hasSession()).toBe(false)
  })

  // Proves console/35.
  test('of a sign-in that is older than twelve hours is not good, also where max_age was left out of the request', async () => {
    const ageBy = (hours: number) =>
      signIns.inside.query(
        `update issuer_sessions set authentications = jsonb_set(authentications::jsonb, '{0,timestamp}', to_jsonb(now() - $2::interval))
          where org_id = $1`,
        [tenant.organization.id, `${hours} hours`],
      )
    const answer = async () => answerTo(changed(await requestOf(), { max_age: undefined }))
    await ageBy(13)
    isLost(await tenant.browser.go((await answer()).href, { stopAt: atHome }))
    expect(await hasSession()).toBe(false)
    await ageBy(11)
    expect((await tenant.browser.go((await answer()).href, { stopAt: atHome })).url).toBe(baseUrl + home())
  })

  // Proves console/11.
  test('ends the session that the browser had before, whose Strict cookie it does not send after a provider', async () => {
    expect((await enter(tenant.browser)).url).toBe(baseUrl + home())
    const former = (await sessionOf(tenant.browser)).result.id
    const url = await answerTo(await requestOf())
    tenant.browser.forget(/signet-console-/)
    expect((await tenant.browser.go(url.href, { stopAt: atHome })).url).toBe(baseUrl + home())
    const { id } = (await sessionOf(tenant.browser)).result
    expect(id).not.toBe(former)
    const stored = 'select id from console_sessions where org_id = $1'
    expect((await signIns.inside.query(stored, [tenant.organization.id])).rows).toEqual([{ id }])
    const { body } = await as('GET', '/organizations/audit-log?action=deleteConsoleSession')
    expect(body.result).toMatchObject([{ target: { type: 'console_session', id: former } }])
  })

  // Proves console/29.
  test('opens nothing at the token endpoint, for nobody', async () => {
    const code = (await answerTo(await requestOf())).searchParams.get('code') ?? ''
    const issuer = `${service.baseUrl}/oidc/${tenant.organization.id}`
    const post = async (path: string, form: Record<string, string>, headers = {}) => {
      const answer = await fetch(issuer + path, { method: 'POST', body: new URLSearchParams(form), headers })
      return [answer.status, ((await answer.json()) as { error: string }).error]
    }
    const console = { client_id: 'signet-console' }
    const grant = { grant_type: 'authorization_code', code, redirect_uri: `${baseUrl}/console/callback` }
    const basic = (secret: string) => ({ authorization: `Basic ${btoa(`signet-console:${secret}`)}` })
    const refusal = [401, 'invalid_client']
    expect(await post('/token', { ...grant, ...console, code_verifier: 'a'.repeat(43) })).toEqual(refusal)
    expect(await post('/token', { ...grant, ...console, client_secret: 'none-is-stored' })).toEqual(refusal)
    expect(await post('/token', grant, basic('none-is-stored'))).toEqual(refusal)
    expect(await post('/token', grant, basic(''))).toEqual(refusal)
    expect(await post('/token', { ...console, grant_type: 'refresh_token', refresh_token: code })).toEqual(refusal)
    expect(await post('/introspect', { ...console, token: code })).toEqual(refusal)
    expect(await post('/revoke', { ...console, token: code })).toEqual(refusal)
    expect((await fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${code}` } })).status).toBe(401)
    const fields = { name: 'Other', redirect_uris: ['https://app.test/'], confidential: true }
    const { body } = await as('POST', '/organizations/applications', fields)
    const { client_id, client_secret } = body.result
    const own = { client_id, client_secret }
    expect(await post('/token', { ...grant, ...own, code_verifier: 'a'.repeat(43) })).toEqual([400, 'invalid_grant'])
    expect(await post('/introspect', { ...own, token: code })).toEqual([200, undefined])
  })
})

describe('A request for the console that is made by hand', () => {
  beforeEach(() => newAdministrator())

  // Proves console/29.
  test.each<[string, Record<string, string | undefined>]>([
    ['offline_access', { scope: 'openid offline_access', prompt: 'consent' }],
    ['offline_access alone', { scope: 'openid offline_access' }],
    ['more scopes', { scope: 'openid email profile' }],
    ['a resource', { resource: 'https://api.test' }],
    ['form_post', { response_mode: 'form_post' }],
    ['another response type', { response_type: 'code id_token' }],
    ['another redirect URI', { redirect_uri: 'https://evil.test/' }],
    ['a redirect URI with a query', { redirect_uri: `${baseUrl}/console/callback?x=1` }],
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
  ])('with %s gains no token, no grant that lasts, and no session of another kind', async (_what, changes) => {
    const url = changed(await requestOf(), changes)
    const page = await tenant.browser.go(url.href, { person: ada, stopAt: /\/console\/o\/|evil\.test/ })
    expect(new URL(page.url).origin).toBe(baseUrl)
    const { rows } = await signIns.inside.query(
      `select 1 from issuer_grants where org_id = $1 and session_uid is null
       union all select 1 from issuer_tokens where org_id = $1 and kind <> 'AuthorizationCode'
                  and payload ->> 'clientId' not in (select client_id::text from applications)`,
      [tenant.organization.id],
    )
    expect(rows).toEqual([])
  })

  // Proves console/26.
  test('without the cookie of the browser leads to nothing, with prompt=none or without', async () => {
    const url = await requestOf()
    tenant.browser.forget(/signet-continue-/)
    for (const prompt of [undefined, 'none']) {
      isLost(await tenant.browser.go(changed(url, { prompt }).href, { stopAt: atHome }))
      expect(await hasSession()).toBe(false)
    }
  })

  test('brings an invitation only in the browser that opened it', async () => {
    const url = await requestOf()
    await signIns.inside.query('update console_sign_ins set invitation_id = gen_random_uuid() where org_id = $1', [
      tenant.organization.id,
    ])
    const anew = changed(url, { prompt: 'login' })
    const invitations = async () => {
      const { rows } = await signIns.inside.query(
        'select invitation_id is not null as has from issuer_interactions where org_id = $1 order by expires_at',
        [tenant.organization.id],
      )
      return rows.map(({ has }) => has)
    }
    await newBrowser().go(anew.href, { stopAt: /client_id=signet&/ })
    expect(await invitations()).toEqual([false])
    await tenant.browser.go(anew.href, { stopAt: /client_id=signet&/ })
    expect(await invitations()).toEqual([false, true])
  })
})

describe('The address that begins a sign-in', () => {
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.baseUrl + path, { method, headers, redirect: 'manual' })
  const begin = (params: Record<string, string>, headers = {}) =>
    ask(`/console/sign-in?${new URLSearchParams({ organization_id: tenant.organization.id, ...params })}`, headers)

  // Proves console/26.
  test.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])(
    'shows the page of the console to whoever comes from another site (%j)',
    async (headers) => {
      const answer = await begin({}, headers)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, baseUrl + home()])
      expect(answer.headers.getSetCookie()).toEqual([])
    },
  )

  test('begins for a page of the console and for whoever types it, with one cookie that no script reads', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, {}]) {
      const answer = await begin({}, headers)
      expect(answer.status).toBe(303)
      expect(answer.headers.get('location')).toContain(
        `/oidc/${tenant.organization.id}/authorize?client_id=signet-console`,
      )
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^__Host-signet-continue-[0-9a-f]{16}=\d+\.[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
        ),
      ])
    }
  })

  test('is no picture, is not fetched ahead, and has no other method and no other host', async () => {
    expect((await begin({}, { 'sec-fetch-dest': 'image' })).status).toBe(401)
    expect((await begin({}, { 'sec-purpose': 'prefetch' })).status).toBe(503)
    for (const path of ['/console/sign-in', '/console/callback', '/console/sign-in/options'])
      expect((await ask(path, {}, 'POST')).status).toBe(405)
    expect((await ask(`/console/sign-in?organization_id=${tenant.organization.id}`, {}, 'HEAD')).status).not.toBe(303)
  })

  // Proves console/31.
  test.each<[Record<string, string>, number]>([
    [{ return_to: 'https://evil.test/' }, 400],
    [{ return_to: '//evil.test' }, 400],
    [{ return_to: '/console/o/0199a3f2-5c00-7000-8000-0242ac120002/' }, 400],
    [{ fresh: '2' }, 400],
    [{ idp: '' }, 400],
    [{ idp: 'a\u0000b' }, 400],
    [{ other: '1' }, 400],
    [{ organization_id: 'x' }, 400],
    [{ organization_id: '0199a3f2-5c00-7000-8000-0242ac120002' }, 404],
  ])('refuses %j with %i', async (params, status) => {
    expect((await begin(params)).status).toBe(status)
  })

  // Proves console/32.
  test('An answer that nobody asked for shows none of its words', async () => {
    for (const query of ['', '?state=x&error=access_denied&error_description=Call+0900', '?code=x&iss=y']) {
      const page = await tenant.browser.go(`${baseUrl}/console/callback${query}`)
      expect([page.status, page.html.includes('0900')]).toEqual([400, false])
    }
  })

  test('The ways in are told to a page of the console alone', async () => {
    const own = { 'service-console': '1', 'sec-fetch-site': 'same-origin', 'service-orgid': tenant.organization.id }
    const { 'service-orgid': _orgId, ...ofOperator } = own
    const options = await ask('/console/sign-in/options', own)
    expect(await options.json()).toEqual({
      result: {
        organization: { id: tenant.organization.id, name: expect.any(String) },
        credentials: [{ oauth_client_id: 'signet', label: expect.any(String), provider: 'provider_a' }],
        key_sign_in: true,
        has_console_access: false,
      },
    })
    expect((await ask('/console/sign-in/options', { ...own, 'sec-fetch-site': 'cross-site' })).status).toBe(401)
    const unknown = { ...own, 'service-orgid': '0199a3f2-5c00-7000-8000-0242ac120002' }
    expect((await ask('/console/sign-in/options', unknown)).status).toBe(404)
    expect(await (await ask('/console/sign-in/options', ofOperator)).json()).toEqual({
      result: { base_url: baseUrl, key_sign_in: true, operator: [] },
    })
  })
})

describe('The client of the console', () => {
  test('is no application: no list has it, and nobody reads, changes or deletes it', async () => {
    const { body } = await as('GET', '/organizations/applications')
    expect(body.result).toHaveLength(1)
    for (const id of ['signet-console', '00000000-0000-0000-0000-000000000000'])
      for (const method of ['GET', 'DELETE'])
        expect((await as(method, `/organizations/applications/${id}`)).status).toBe(404)
  })

  test('has its name and its way back on the pages of a sign-in, and beside applications of the same session', async () => {
    await newAdministrator()
    const wrong = changed(await requestOf(), { redirect_uri: 'https://evil.test/' })
    const { html, status } = await tenant.browser.go(wrong.href)
    expect(status).toBe(400)
    expect(html).toContain('Signet console')
    expect(html).toContain(`href="${baseUrl}${home()}"`)
    expect((await enter(tenant.browser)).url).toBe(baseUrl + home())
    const other = await makeApplication(service, tenant.organization)
    expect(await other.signIn(tenant.browser, { params: { prompt: 'none' } })).toHaveProperty('sub')
    expect(await hasSession()).toBe(true)
  })

  test('is named where a sign-in is over, long after', async () => {
    await newAdministrator()
    const begun = await tenant.browser.go(entrance({ fresh: '1' }), { person: ada, stopAt: /\/sso\/callback\// })
    await tenant.browser.go(begun.url, { stopAt: atHome })
    const stranger = await newBrowser().go(begun.url)
    expect(stranger.html).toContain('Signet console')
  })
})
