import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn, makeApplication } from '../support/application.ts'
import { attacker, leave, mallory, newVictim } from '../support/attacked-sign-ins.ts'
import { application, baseUrl } from '../support/browser.ts'
import { as, callback, closeSignIns, openSignIns, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { ada, providers } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(newVictim)

const flowCookie = /signet-flow/
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/
const flowPage = /\/sso\/flows\//
const codeAt = expect.stringContaining(`${application}callback?code=`)

/** A tab that is at the provider, and has lost its flow's cookie by the time it comes back; meanwhile another tab has signed in. */
async function lostTab(params: Record<string, string> = {}) {
  const tab = await leave(tenant.browser, callback, { params })
  tenant.browser.forget(flowCookie)
  const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
  return { ...tab, sub }
}

describe('A tab whose flow is gone', () => {
  test('A tab whose flow is gone goes on with the session of its browser, with one event, hooks, and nothing of its callback', async () => {
    const path = `/${tenant.organization.id}/hook`
    const webhook = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], {})
    await as('POST', `/organizations/webhooks/${webhook}/triggers`, {
      trigger_type: 'sync_hook',
      trigger_name: 'token_minted',
    })
    const { begun, at, sub } = await lostTab()
    const before = signIns.receiver.received(path).length
    const end = await tenant.browser.go(`${at}&error=access_denied`)
    expect(await tenant.application.finish(begun, end.url)).toMatchObject({ sub })
    expect(signIns.receiver.received(path).length - before).toBe(1)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
    expect((await tenant.browser.go(at)).status).toBe(400)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })

  test('A tab whose flow is gone keeps the id of the session, which other tabs are using', async () => {
    const { at } = await lostTab()
    const session = () => /__Host-signet-session-[^;]*/.exec(tenant.browser.cookiesFor(baseUrl))?.[0]
    const before = session()
    expect((await tenant.browser.go(at)).url).toEqual(codeAt)
    expect(session()).toBe(before)
  })

  test.each([
    ['asks for another sign-in', { prompt: 'login' }, 0],
    ['takes no session that is so old', { max_age: '1' }, 3_000],
    ['takes another provider', {}, 0],
  ])(
    'A tab whose flow is gone is led to sign in again where its request %s, as one sign-in',
    async (what, params, laterMs) => {
      await tenant.addCredential(providers.google, other)
      const idp = what.includes('provider') ? other.client_id : 'signet'
      const tab = await leave(tenant.browser, callback, { params: { idp, ...params } })
      tenant.browser.forget(flowCookie)
      await tenant.application.signIn(tenant.browser, { person: ada, params: { idp: 'signet' } })
      signIns.clock.set(signIns.clock.now() + laterMs)
      const again = await tenant.browser.go(tab.at, { person: ada, stopAt: callback })
      expect(again.url).toMatch(callback)
      expect(again.url).not.toBe(tab.at)
      const end = await tenant.browser.go(again.url)
      await tenant.application.finish(tab.begun, end.url)
      expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
    },
  )

  test('A tab whose flow is gone has its one event also where its hook refuses the person', async () => {
    const { at } = await lostTab()
    const path = `/${tenant.organization.id}/refusing`
    signIns.receiver.behave(path, { status: 400 })
    const webhook = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], {})
    await as('POST', `/organizations/webhooks/${webhook}/triggers`, {
      trigger_type: 'sync_hook',
      trigger_name: 'token_minted',
    })
    expect(errorIn(await tenant.browser.go(at))).toBe('access_denied')
    signIns.clock.set(signIns.clock.now() + 3_600_000)
    const { rows } = await signIns.inside.query(
      'select count(*)::int from flows where org_id = $1 and ended_at is null and begun_at is not null',
      [tenant.organization.id],
    )
    expect(rows).toEqual([{ count: 0 }])
    signIns.clock.set(signIns.clock.now() - 3_600_000)
    expect(await tenant.endings()).toEqual(['succeeded', 'sync_hook_failed'])
  })

  test('A tab whose flow is gone fails where its browser has no session', async () => {
    const { at } = await leave(tenant.browser, callback)
    tenant.browser.forget(flowCookie)
    expect(errorIn(await tenant.browser.go(at))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['oidc_state_mismatch'])
  })

  test('A tab whose flow is gone, and which begins to go on and does not, has its one event', async () => {
    const { at } = await lostTab()
    await tenant.browser.go(at, { stopAt: wayBack })
    const { rows } = await signIns.inside.query(
      'select begun_at is not null as begun, ended_at is not null as ended from flows where org_id = $1 order by id limit 1',
      [tenant.organization.id],
    )
    // The sweep ends it as soon as it has expired.
    expect(rows).toEqual([{ begun: true, ended: false }])
  })

  test('Two callbacks of a tab whose flow is gone, at once, have one event and one code', async () => {
    const { at } = await lostTab()
    const headers = { cookie: tenant.browser.cookiesFor(baseUrl) }
    const way = (await tenant.browser.go(at, { stopAt: wayBack })).url.replace(baseUrl, service.baseUrl)
    const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(way, { redirect: 'manual', headers })))
    const codes = answers.filter((answer) => /[?&]code=/.test(answer.headers.get('location') ?? ''))
    expect(codes).toHaveLength(1)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })
})

describe("A request is never finished by another one's session", () => {
  const signInVictim = () => tenant.application.signIn(tenant.browser, { person: ada })

  // Proves sign-in/81.
  test('The callback of an attacker, with their state, is not finished by the session of the victim', async () => {
    await signInVictim()
    const { at } = await leave(attacker, callback, { person: mallory })
    const end = await tenant.browser.go(at)
    expect([end.status, end.url]).toEqual([400, expect.stringMatching(wayBack)])
    // Nor does the attacker get anything.
    expect((await attacker.go(at)).url).not.toEqual(codeAt)
    expect(await tenant.endings()).toEqual(['succeeded', 'oidc_state_mismatch'])
  })

  // Proves sign-in/81.
  test('The uid of an attacker, in a link to the page or to the way back, is of no use with the session of the victim', async () => {
    await tenant.addCredential(providers.okta, other)
    await tenant.application.signIn(tenant.browser, {
      person: ada,
      params: { idp: 'signet' },
    })
    const { at: page } = await leave(attacker, flowPage)
    const uid = page.split('/').at(-1) ?? ''
    for (const link of [page, `${baseUrl}/oidc/${tenant.organization.id}/authorize/${uid}`])
      expect((await tenant.browser.go(link)).status).toBe(400)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  // Proves sign-in/81.
  test('The cookie of another request of the same browser does not finish a request', async () => {
    await signInVictim()
    await leave(tenant.browser, callback, { params: { prompt: 'login' } })
    const { at } = await leave(attacker, callback, { person: mallory })
    expect((await tenant.browser.go(at)).status).toBe(400)
  })

  // Proves sign-in/81.
  test('The session of one organization does not finish a request at another one on the same origin', async () => {
    await signInVictim()
    const second = await signIns.tenant()
    const begun = await second.application.begin()
    const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
    tenant.browser.forget(flowCookie)
    expect(errorIn(await tenant.browser.go(url))).toBe('server_error')
    expect(await second.endings()).toEqual(['oidc_state_mismatch'])
  })
})

describe('A browser that asks for a page ahead of the person', () => {
  const ahead = [
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-moz', 'prefetch'],
    ['x-purpose', 'preview'],
  ] as const

  const prefetch = async (url: string, [name, value]: readonly [string, string]) => {
    const headers = { cookie: tenant.browser.cookiesFor(url), [name]: value, accept: 'text/html' }
    const answer = await fetch(url.replace(baseUrl, service.baseUrl), { redirect: 'manual', headers })
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.getSetCookie()]).toEqual([
      503,
      'no-store',
      [],
    ])
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
  }

  // Proves sign-in/82.
  test('A page that is asked for in advance is a 503, and uses up no callback, request, result, session or test', async () => {
    const begun = await tenant.application.begin()
    for (const header of ahead) await prefetch(begun.url, header)
    const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
    for (const header of ahead) await prefetch(url, header)
    const { url: way } = await tenant.browser.go(url, { stopAt: wayBack })
    for (const header of ahead) await prefetch(way, header)
    await tenant.application.finish(begun, (await tenant.browser.go(way)).url)
    const silent = await tenant.application.begin({ prompt: 'none' })
    for (const header of ahead) {
      await prefetch(silent.url, header)
      await prefetch(`${baseUrl}/oidc/${tenant.organization.id}/logout`, header)
    }
    expect(await tenant.endings()).toEqual(['succeeded'])
    await tenant.application.finish(silent, (await tenant.browser.go(silent.url)).url)

    const { body } = await as('POST', '/organizations/sso/oidc/provider-credentials/signet/test')
    for (const header of ahead) await prefetch(body.result.url, header)
    expect((await tenant.browser.go(body.result.url, { person: ada })).html).toContain('The test is over')
  })

  test('A page of a request that is asked for in advance sends nobody to the provider', async () => {
    const { at } = await leave(tenant.browser, callback)
    const uid = /signet-interaction-([\w-]{43})=/.exec(tenant.browser.cookiesFor(baseUrl))?.[1]
    for (const header of ahead) await prefetch(`${baseUrl}/sso/flows/${tenant.organization.id}/${uid}`, header)
    expect((await tenant.browser.go(at)).url).toEqual(codeAt)
  })
})

describe('A redirect URI that is removed in the middle of a sign-in', () => {
  const change = (redirect_uris: string[]) =>
    as('PATCH', `/organizations/applications/${tenant.application.clientId}`, { redirect_uris })
  const elsewhere = 'https://elsewhere.test/callback'

  // Proves sign-in/83.
  test.each([
    ['at the provider', callback, ['redirect_uri_removed']],
    ['on its way back', wayBack, ['succeeded']],
  ])(
    'A redirect URI that is removed while the person is %s gets no code and no error, but a page',
    async (_, stopAt, endings) => {
      const { at } = await leave(tenant.browser, stopAt)
      await change([elsewhere])
      const end = await tenant.browser.go(at)
      expect([end.status, end.url.startsWith(baseUrl)]).toEqual([400, true])
      expect(end.html).toContain('invalid_redirect_uri')
      expect(await tenant.endings()).toEqual(endings)
      expect(await tenant.persons()).toHaveLength(endings[0] === 'succeeded' ? 1 : 0)
    },
  )

  // Proves sign-in/83.
  test('A redirect URI that is removed while the hooks of a session run gets no code, and the sign-in has failed', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const path = `/${tenant.organization.id}/held`
    signIns.receiver.behave(path, { together: 2 })
    const webhook = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], { timeout: '20s' })
    await as('POST', `/organizations/webhooks/${webhook}/triggers`, {
      trigger_type: 'sync_hook',
      trigger_name: 'token_minted',
    })
    const begun = await tenant.application.begin()
    const going = tenant.browser.go(begun.url)
    await signIns.receiver.waitFor(path, 1)
    await change([elsewhere])
    await as('POST', `/organizations/webhooks/${webhook}/dry-run`)
    const end = await going
    expect([end.status, end.url]).toEqual([400, begun.url])
    expect(await tenant.endings()).toEqual(['succeeded', 'flow_expired'])
  })

  test('A redirect URI that stays is not in the way of others that are removed', async () => {
    await change([`${application}callback`, elsewhere])
    const { begun, at } = await leave(tenant.browser, callback)
    await change([`${application}callback`])
    await tenant.application.finish(begun, (await tenant.browser.go(at)).url)
  })
})

describe('Many tabs of one browser', () => {
  test.each([
    [20, 1],
    [40, 2],
  ])(
    'Of %i tabs that begin at once, of %i applications, all end signed in, or are told where nothing is left',
    async (count, apps) => {
      const applications = [tenant.application]
      if (apps > 1) applications.push(await makeApplication(service, tenant.organization))
      const tabs = await Promise.all(
        Array.from({ length: count }, async (_, at) => {
          const app = applications[at % apps] ?? tenant.application
          const begun = await app.begin()
          return { app, begun, at: (await tenant.browser.go(begun.url, { person: ada, stopAt: callback })).url }
        }),
      )
      const ends = await Promise.all(tabs.map(async ({ at }) => tenant.browser.go(at)))
      const signedIn = ends.filter(({ url }) => url.startsWith(`${application}callback?code=`))
      expect(signedIn.length).toBeGreaterThanOrEqual(20)
      if (count === 20) for (const [at, { app, begun }] of tabs.entries()) await app.finish(begun, ends[at]?.url ?? '')
      expect(await tenant.endings()).toHaveLength(count)
      expect(await tenant.persons()).toHaveLength(1)
      expect(tenant.browser.cookiesFor(baseUrl).length).toBeLessThan(6_000)
    },
  )

  test('The cookies of twenty open requests with a session stay below six thousand bytes', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    for (let tab = 0; tab < 25; tab++) await leave(tenant.browser, callback, { params: { prompt: 'login' } })
    const header = tenant.browser.cookiesFor(baseUrl)
    expect(header.match(/signet-flow-/g)).toHaveLength(20)
    expect(header.match(/signet-interaction-/g)).toHaveLength(20)
    expect(header.length).toBeLessThan(6_000)
  })
})
