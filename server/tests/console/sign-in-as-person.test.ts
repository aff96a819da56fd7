import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { baseUrl, openBrowser } from '../support/browser.ts'
import { admit, atHome, enter, entrance, home, newAdministrator, sessionOf } from '../support/entering-console.ts'
import { as, closeSignIns, newTenant, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
import type { Behaviour } from '../support/receiver.ts'
import { ada, providers } from '../support/sign-ins.ts'
import { client } from '../support/upstreams.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

const grace = { sub: 'grace-1', email: 'grace@gmail.com', email_verified: true }
const newBrowser = () => openBrowser(() => service.baseUrl)

describe('Continue with a provider', () => {
  test('An administrator is in the console as a person, by the session that the browser has, and no token is left', async () => {
    const personId = await newAdministrator()
    const begunAt = Date.now()
    const { url } = await enter(tenant.browser, { idp: client.clientId, return_to: `${home()}webhooks?limit=5` })
    expect(url).toBe(`${baseUrl}${home()}webhooks?limit=5`)
    const { status, result } = await sessionOf(tenant.browser)
    expect(status).toBe(200)
    expect(result).toMatchObject({ by: { type: 'person', id: personId, roles: ['owner'] } })
    expect(Date.parse(result.authenticated_at)).toBeLessThan(begunAt)
    const { rows } = await signIns.inside.query(
      `select (select count(*)::int from issuer_grants where org_id = $1 and payload ->> 'clientId' like '0000%') as grants,
              (select count(*)::int from issuer_tokens where org_id = $1 and payload ->> 'clientId' like '0000%') as tokens,
              (select count(*)::int from console_sign_ins where org_id = $1) as under_way`,
      [tenant.organization.id],
    )
    expect(rows).toEqual([{ grants: 0, tokens: 0, under_way: 0 }])
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
    expect(tenant.browser.cookiesFor(baseUrl)).not.toContain('signet-continue-')
  })

  test('A first sign-in by way of the chooser, in a browser without a session, ends at Home', async () => {
    const personId = await newAdministrator(newBrowser())
    await tenant.addCredential(providers.okta, { label: 'Okta', client_id: 'another', client_secret: 'b-secret' })
    const page = await enter(tenant.browser)
    expect(page.html).toContain('Signet console')
    const choice = /name="credential" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const { url } = await tenant.browser.go(page.url, { form: { credential: choice }, person: ada, stopAt: atHome })
    expect(url).toBe(baseUrl + home())
    expect((await sessionOf(tenant.browser)).result.by).toMatchObject({ type: 'person', id: personId })
  })

  test('With fresh=1 the person signs in anew, and the session says when', async () => {
    await newAdministrator()
    await enter(tenant.browser)
    const before = (await sessionOf(tenant.browser)).result
    const { url } = await enter(tenant.browser, { fresh: '1' })
    expect(url).toBe(baseUrl + home())
    const after = (await sessionOf(tenant.browser)).result
    expect(after.id).not.toBe(before.id)
    expect(Date.parse(after.authenticated_at)).toBeGreaterThan(Date.parse(before.authenticated_at))
  })

  test('A session of the issuer that is older than twelve hours is not enough', async () => {
    await newAdministrator()
    await signIns.inside.query(
      `update issuer_sessions set payload = jsonb_set(payload::jsonb, '{loginTs}', to_jsonb((payload ->> 'loginTs')::bigint - 43300))::json
        where org_id = $1`,
      [tenant.organization.id],
    )
    const { url } = await tenant.browser.go(entrance(), { stopAt: /client_id=signet&/ })
    expect(url).toContain('client_id=signet&')
  })

  test('Five tabs of a browser that begin at once all end at their own page; the sixth ends the first', async () => {
    await newAdministrator()
    const begun: string[] = []
    for (let tab = 0; tab < 6; tab++) {
      const page = await tenant.browser.go(entrance({ return_to: `${home()}groups?tab=${tab}`, fresh: '1' }), {
        person: ada,
        stopAt: /\/sso\/callback\//,
      })
      begun.push(page.url)
    }
    const cookies = tenant.browser.cookiesFor(baseUrl).split('; ')
    expect(cookies.filter((each) => each.includes('signet-continue-'))).toHaveLength(5)
    const ends = []
    for (const url of begun.slice(1)) ends.push((await tenant.browser.go(url, { stopAt: atHome })).url)
    expect(ends).toEqual([1, 2, 3, 4, 5].map((tab) => `${baseUrl}${home()}groups?tab=${tab}`))
    expect((await tenant.browser.go(begun[0] ?? '', { stopAt: atHome })).html).toContain('begun in another browser')
  })
})

describe('Who is not let in', () => {
  const nothing = async () => ({ session: (await sessionOf(tenant.browser)).status, persons: await tenant.persons() })

  // Proves console/30.
  test('An account that nobody has makes no person, whatever self_registration says', async () => {
    const page = await enter(tenant.browser)
    expect(page.status).toBe(403)
    expect(page.html).toContain('belongs to nobody who is known here')
    expect(page.html).toContain(`href="${baseUrl}${home()}"`)
    expect(await nothing()).toEqual({ session: 401, persons: [] })
    expect(await tenant.endings()).toEqual(['registration_not_allowed'])
  })

  // Proves console/30.
  test('No account is linked to a person by its address', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const created = await as('POST', '/persons', { handles })
    await admit(created.body.result.person_id)
    expect((await enter(tenant.browser)).status).toBe(403)
    expect((await sessionOf(tenant.browser)).status).toBe(401)
  })

  test('A person in none of the groups reads that, and has no session', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const page = await enter(tenant.browser)
    expect(page.status).toBe(403)
    expect(page.html).toContain('none of the groups')
    expect((await sessionOf(tenant.browser)).status).toBe(401)
    const { rows } = await signIns.inside.query('select 1 from console_sign_ins where org_id = $1', [
      tenant.organization.id,
    ])
    expect(rows).toEqual([])
  })

  test('A person who is not active reads that', async () => {
    const personId = await newAdministrator(newBrowser())
    await as('PATCH', `/persons/${personId}`, { active: false })
    expect((await enter(tenant.browser)).html).toContain('You have been deactivated')
  })

  test('Whoever cancels on the page reads that, with a way back', async () => {
    await tenant.addCredential(providers.okta, { client_id: 'another', client_secret: 'b-secret' })
    const page = await enter(tenant.browser)
    const { status, html } = await tenant.browser.go(page.url, { form: { cancel: 'yes' } })
    expect(status).toBe(403)
    expect(html).toContain('You have cancelled the sign-in.')
  })

  test('A provider that is away is said to have failed', async () => {
    await tenant.addCredential(providers.away, { client_id: 'another', client_secret: 'b-secret' })
    const page = await enter(tenant.browser, { idp: 'another' })
    expect([page.status, /<h1>([^<]+)/.exec(page.html)?.[1]]).toEqual([403, 'You are not signed in to the console'])
    expect(page.html).toContain('The sign-in at the provider failed')
  })
})

describe('Hooks', () => {
  async function addHook(behaviour: Behaviour, on_failure = 'fail') {
    const path = `/${tenant.organization.id}/hook`
    signIns.receiver.behave(path, behaviour)
    const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], { timeout: '20s' })
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted', on_failure }
    await as('POST', `/organizations/webhooks/${id}/triggers`, trigger)
    return { id, path }
  }
  const deliveriesOf = async (id: string) =>
    (await as('GET', `/organizations/webhooks/${id}/deliveries`)).body.result.filter(
      (each: { trigger_name: string }) => each.trigger_name === 'token_minted',
    )

  // Proves console/32.
  test('A refusal holds, and its reason is text on the page', async () => {
    await newAdministrator()
    const { id } = await addHook({ body: JSON.stringify({ deny: { reason: 'Not <b>today</b>', code: 'closed' } }) })
    const page = await enter(tenant.browser)
    expect(page.status).toBe(403)
    expect(page.html).toContain('Not &lt;b&gt;today&lt;/b&gt;')
    expect((await sessionOf(tenant.browser)).status).toBe(401)
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'refused' }])
  })

  // Proves console/33.
  test('A hook that is down keeps nobody out, and the delivery log shows it', async () => {
    await newAdministrator()
    const { id, path } = await addHook({ status: 500 })
    expect((await enter(tenant.browser)).url).toBe(baseUrl + home())
    expect(await deliveriesOf(id)).toMatchObject([{ status: 'dropped', attempts_count: 3 }])
    const [request] = signIns.receiver.received(path)
    const [, payload = ''] = request?.body?.split('.') ?? []
    const { trigger_content: content } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(content).toMatchObject({ aud: 'signet-console', groups: ['owner'], first_token: false })
  })

  // Proves console/33.
  test('A hook that is slow is waited for two seconds in all', async () => {
    await newAdministrator()
    const { id, path } = await addHook({ delayMs: 30_000 })
    const begunAt = performance.now()
    expect((await enter(tenant.browser)).url).toBe(baseUrl + home())
    expect(performance.now() - begunAt).toBeLessThan(15_000)
    expect(signIns.receiver.received(path)).toHaveLength(1)
    const [delivery] = await deliveriesOf(id)
    expect(delivery).toMatchObject({ status: 'dropped', attempts_count: 1 })
  })
})

describe('The session ends with that of the issuer', () => {
  const status = async () => (await sessionOf(tenant.browser)).status

  const endings: [string, (personId: string) => Promise<unknown>][] = [
    [
      'the person signs out at an application',
      () => tenant.browser.go(`${baseUrl}/oidc/${tenant.organization.id}/logout`).then((page) => answerYes(page)),
    ],
    ['the sessions of the person are ended', (id) => as('DELETE', `/persons/${id}/sessions`)],
    ['the person is deactivated', (id) => as('PATCH', `/persons/${id}`, { active: false })],
    ['the person is deleted', (id) => as('DELETE', `/persons/${id}`)],
    [
      'what the credential vouched for is ended',
      () => as('POST', `/organizations/sso/oidc/provider-credentials/${client.clientId}/end-sessions`),
    ],
    [
      'another person signs in in the same browser',
      () => tenant.application.signIn(tenant.browser, { person: grace, params: { prompt: 'login' } }),
    ],
  ]
  async function answerYes({ html }: { html: string }) {
    const fields = [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
    const action = /action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    await tenant.browser.go(new URL(action, baseUrl).href, { form: { ...Object.fromEntries(fields), logout: 'yes' } })
  }

  // Proves console/34.
  test.each(endings)('when %s', async (_what, end) => {
    const personId = await newAdministrator()
    await enter(tenant.browser)
    expect(await status()).toBe(200)
    await end(personId)
    expect(await status()).toBe(401)
  })

  test('The applications of the session are told of its end, and the console is none of them', async () => {
    const personId = await newAdministrator()
    await enter(tenant.browser)
    const { body } = await as('GET', `/persons/${personId}/sessions`)
    expect(body.result.map((each: { applications: string[] }) => each.applications)).toEqual([
      [tenant.application.clientId],
    ])
    expect((await as('DELETE', `/persons/${personId}/sessions`)).status).toBeLessThan(300)
  })
})
