import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { application, openBrowser } from '../support/browser.ts'
import { attempt, flowPage } from '../support/failing-sign-ins.ts'
import {
  as,
  callback,
  closeSignIns,
  newTenant,
  openSignIns,
  other,
  service,
  signIns,
  tenant,
} from '../support/own-sign-ins.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, providers, type Told } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

const settings = (changes: object) => as('PATCH', '/organizations/settings', changes)

/** The same up to the provider's answer, which `tamper` may change. */
async function attemptWith(tamper: (answer: URL) => void) {
  const back = new URL((await attempt({ stopAt: callback })).url)
  tamper(back)
  return tenant.browser.go(back.href)
}

/** A webhook with the trigger, whose receiver answers so. */
async function addHook(answer: { status?: number; body?: string }, trigger: object = {}) {
  const path = `/${tenant.organization.id}/hook`
  signIns.receiver.behave(path, answer)
  const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
  await as('POST', `/organizations/webhooks/${id}/triggers`, {
    trigger_type: 'sync_hook',
    trigger_name: 'token_minted',
    ...trigger,
  })
  return path
}

describe('Failed sign-ins', () => {
  const cases: [word: string, error: string, act: () => Promise<Awaited<ReturnType<typeof attempt>>>][] = [
    ['oidc_access_denied', 'access_denied', () => attempt({ person: { ...ada, refuse: true } })],
    ['oidc_provider_error', 'server_error', () => attemptWith(({ searchParams }) => turnIntoError(searchParams))],
    ['oidc_provider_error', 'server_error', () => attemptWith(({ searchParams }) => searchParams.append('code', 'x'))],
    [
      'oidc_state_mismatch',
      'server_error',
      async () => {
        const { url } = await attempt({ stopAt: callback })
        tenant.browser.forget(/signet-flow/)
        return tenant.browser.go(url)
      },
    ],
    ['oidc_state_mismatch', 'server_error', () => attemptWith(({ searchParams }) => searchParams.set('state', 'x'))],
    ['oidc_state_mismatch', 'server_error', () => attemptWith(({ searchParams }) => searchParams.delete('state'))],
    [
      'oidc_token_invalid',
      'server_error',
      async () => {
        await tenant.addCredential(providers.lying, other)
        return attempt({ params: { idp: other.client_id } })
      },
    ],
    [
      'provider_unreachable',
      'server_error',
      async () => {
        await tenant.addCredential(providers.away, other)
        return attempt({ params: { idp: other.client_id } })
      },
    ],
    [
      'credential_misconfigured',
      'server_error',
      async () => {
        const { url } = await attempt({ stopAt: callback })
        await as('PATCH', '/organizations/sso/oidc/provider-credentials/signet', { client_secret: 'another' })
        return tenant.browser.go(url)
      },
    ],
    [
      'credential_misconfigured',
      'server_error',
      async () => {
        const { url } = await attempt({ stopAt: callback })
        await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
        return tenant.browser.go(url)
      },
    ],
    [
      'person_limit_reached',
      'access_denied',
      async () => {
        await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
        return attempt()
      },
    ],
    [
      'registration_not_allowed',
      'access_denied',
      async () => {
        await settings({ self_registration: false })
        return attempt()
      },
    ],
    [
      'registration_not_allowed',
      'access_denied',
      async () => {
        await settings({ allowed_email_domains: ['example.com'] })
        return attempt()
      },
    ],
    [
      'sync_hook_failed',
      'access_denied',
      async () => {
        await addHook({ status: 500 })
        return attempt()
      },
    ],
    [
      'sync_hook_denied',
      'access_denied',
      async () => {
        await addHook({ body: '{"deny":true}' })
        return attempt()
      },
    ],
  ]

  // Proves 6.1/15.
  test.each(cases)('A failure %s has one event, and the application gets %s', async (word, error, act) => {
    const end = await act()
    expect(errorIn(end)).toBe(error)
    expect(new URL(end.url).searchParams.get('error_description')).toBe(`the sign-in failed: ${word}`)
    expect(await tenant.endings()).toEqual([word])
    expect(await tenant.persons()).toEqual([])
  })

  // Proves 6.1/15.
  test('A failed sign-in has an event with all fields of 6.1 but those of a person whom nobody recognised', async () => {
    const params = { correlation_id: '01890a5d-ac96-774b-bcce-b302099a8057' }
    await attempt({ person: { ...ada, refuse: true }, params, referer: 'https://app.test/start' })
    expect(await tenant.events()).toEqual([
      {
        event_metadata: expect.objectContaining({ source: 2, event_name: 'AuthenticationFailed_v1' }),
        analytics_metadata: { analytics_correlation_id: params.correlation_id, client_ip_address: '127.0.0.1' },
        browser_metadata: { user_agent: 'A browser', window_location: 'https://app.test/start' },
        failed_authn_method: 'oidc',
        failure_reason: 'oidc_access_denied',
      },
    ])
  })

  // Proves 6.1/15, sign-in/42.
  test('A failed sign-in has an event with the person whom the provider had recognised (person_not_active)', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await as('PATCH', `/persons/${sub}`, { active: false })
    expect(errorIn(await attempt())).toBe('access_denied')
    const event = (await tenant.events()).at(-1)
    const recognised = { person_id: sub, region: 'local', authenticated_methods: ['oidc'] }
    expect(event).toMatchObject({ failure_reason: 'person_not_active', ...recognised })
  })

  test('A failed sign-in has an event with the person who was signed in in that browser before', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await attempt({ person: { ...ada, refuse: true }, params: { prompt: 'login' } })
    const [, , event] = await tenant.events()
    expect(event).toMatchObject({ failure_reason: 'oidc_access_denied', person_id: sub, region: 'local' })
  })

  test('A fault of the service, such as a secret that no master key decrypts, fails a sign-in as unspecified', async () => {
    const { url } = await attempt({ stopAt: callback })
    const node = await signIns.startNode({ keyring: makeKeyring() })
    const { headers } = await fetch(url.replace('https://id.signet.test', node.baseUrl), {
      redirect: 'manual',
      headers: { cookie: tenant.browser.cookiesFor(url) },
    })
    await node.stop()
    expect(errorIn(await tenant.browser.go(headers.get('location') ?? ''))).toBe('server_error')
    expect(await tenant.endings()).toEqual(['unspecified'])
  })
})

function turnIntoError(answer: URLSearchParams) {
  answer.delete('code')
  answer.set('error', 'odd')
  answer.set('error_description', 'a text of the provider that nobody is shown')
}

describe('Admission', () => {
  test('A person whose vouched-for address is in allowed_email_domains is admitted', async () => {
    await settings({ allowed_email_domains: ['gmail.com'] })
    expect(errorIn(await attempt())).toBeUndefined()
  })

  test('A person whose address nobody vouches for is not admitted, though its domain is allowed', async () => {
    await settings({ allowed_email_domains: ['gmail.com'] })
    expect(errorIn(await attempt({ person: { ...ada, email_verified: false } }))).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['registration_not_allowed'])
  })

  test('A person who is known is admitted, whatever the settings and the limit are by then', async () => {
    await attempt()
    await settings({ self_registration: false, allowed_email_domains: ['example.com'] })
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    expect(errorIn(await attempt({ params: { prompt: 'login' } }))).toBeUndefined()
  })
})

describe('The hook (6.2, rule 5)', () => {
  const contentOf = (path: string): Told => {
    const [, claims = ''] = signIns.receiver.received(path).at(-1)?.body.split('.') ?? []
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).trigger_content
  }

  // Proves 1/7, 6.2, rule 5/3, sign-in/63.
  test('The hook is told who signs in, and adds claims to the token', async () => {
    const path = await addHook({ body: JSON.stringify({ plan: 'gold', roles: ['a'], sub: 'somebody' }) })
    const referer = 'https://app.test/start'
    const claims = await tenant.application.signIn(tenant.browser, { person: ada, referer })
    expect(claims).toMatchObject({ plan: 'gold', roles: ['a'] })
    expect(claims.sub).not.toBe('somebody')
    expect(contentOf(path)).toEqual({
      aud: tenant.application.clientId,
      sub: claims.sub,
      iss: claims.iss,
      region: 'local',
      first_token: true,
      authentications: [
        { handle: { type: 'EmailAddress', value: ada.email }, method: 'oidc', timestamp: expect.any(String) },
      ],
      groups_claim_name: 'groups',
      groups: [],
      request_metadata: { client_ip_address: '127.0.0.1', user_agent: 'A browser', origin: 'https://app.test' },
    })
  })

  test('The hook adds numbers to the ID token exactly as it gave them, in a sign-in as with a session', async () => {
    await addHook({ body: '{"account":9007199254740993,"deep":[{"rate":1.10}],"huge":1e400,"small":7}' })
    for (const params of [{ prompt: 'login' }, { prompt: 'none' }]) {
      const begun = await tenant.application.begin(params)
      const { url } = await tenant.browser.go(begun.url, { person: ada })
      const { id_token = '' } = await tenant.application.exchange(begun, url)
      const claims = Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()
      expect(claims).toContain('"account":9007199254740993,"deep":[{"rate":1.10}],"huge":1e400,"small":7')
    }
  })

  // Proves sign-in/63.
  test.each(['constructor', 'prototype', '__proto__', 'groups_truncated'])(
    'The hook takes nothing from the token by a claim %s, in a sign-in as with a session',
    async (name) => {
      await addHook({ body: `{"plan":"gold","${name}":{"a":1}}` })
      const own = { org_id: tenant.organization.id, groups: [], authenticated_methods: ['oidc'], region: 'local' }
      for (const params of [{ prompt: 'login' }, { prompt: 'none' }]) {
        const claims = await tenant.application.signIn(tenant.browser, { person: ada, params })
        expect(claims).toMatchObject({ ...own, plan: 'gold' })
        expect(Object.keys(claims)).not.toContain(name)
      }
    },
  )

  // Proves 6.2, rule 5/2.
  test('A hook that fails lets the sign-in go on where the trigger says so (on_failure: continue)', async () => {
    await addHook({ status: 500 }, { on_failure: 'continue' })
    expect(errorIn(await attempt())).toBeUndefined()
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  // Proves 1/7.
  test('The hook runs again when a session is used again, with what it adds by then', async () => {
    const path = await addHook({ body: '{"turn":1}' })
    await tenant.application.signIn(tenant.browser, { person: ada })
    signIns.receiver.behave(path, { body: '{"turn":2}' })
    const claims = await tenant.application.signIn(tenant.browser)
    expect(claims.turn).toBe(2)
    expect(contentOf(path)).toMatchObject({ first_token: false })
  })

  // Proves 6.2, rule 5/2.
  test('A hook that fails when a session is used again has an AuthenticationFailed_v1, and with prompt=none no event', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    await addHook({ status: 500 })
    expect(errorIn(await attempt({ params: { prompt: 'none' } }))).toBe('access_denied')
    expect(errorIn(await attempt())).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['succeeded', 'sync_hook_failed'])
    expect((await tenant.events()).at(-1)).toMatchObject({ person_id: sub, authenticated_methods: ['oidc'] })
  })
})

test('An organization that is deleted during a sign-in admits nobody', async () => {
  const { url } = await attempt({ stopAt: callback })
  await service.operate('DELETE', `/organizations/${tenant.organization.id}`)
  expect((await tenant.browser.go(url)).status).toBe(400)
  expect(await tenant.events()).toEqual([])
})

test.each(['x', '01890a5d-ac96-774b-bcce-b302099a8057'])('A callback of no credential, %s, is none', async (id) => {
  const { url } = await attempt({ stopAt: callback })
  const { search } = new URL(url)
  expect((await openBrowser(() => service.baseUrl).go(`https://id.signet.test/sso/callback/${id}`)).status).toBe(400)
  expect((await tenant.browser.go(`https://id.signet.test/sso/callback/x${search}`)).status).toBe(400)
  expect(errorIn(await tenant.browser.go(url))).toBeUndefined()
})

describe('Requests without a way to sign in', () => {
  const misconfigured = new URLSearchParams({
    error: 'server_error',
    error_description: 'the sign-in failed: credential_misconfigured',
  })

  // Proves sign-in/70.
  test.each([
    ['an idp that is no credential', 'nobody'],
    ['an idp that no database stores', 'a\0b'],
    ['an idp of no ASCII', '\u{1F600}'],
    ['an idp that is too long', 'x'.repeat(5_000)],
  ])('A request with %s is reported to the application and has no event', async (_, idp) => {
    const { url } = await attempt({ params: { idp } })
    expect(url).toMatch(/^https:\/\/app\.test\//)
    expect(url).toContain(String(misconfigured))
    expect(await tenant.events()).toEqual([])
  })

  test('A request to an organization without any credential is reported to the application and has no event', async () => {
    await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
    expect((await attempt()).url).toContain(String(misconfigured))
    expect(await tenant.events()).toEqual([])
  })

  test('A person who chose from the page and came too late had begun a sign-in, and it has its event', async () => {
    await tenant.addCredential(providers.google, other)
    const page = await attempt()
    const [, credential = ''] = /name="credential" value="([^"]+)"/.exec(page.html) ?? []
    for (const id of ['signet', other.client_id])
      await as('DELETE', `/organizations/sso/oidc/provider-credentials/${id}`)
    const end = await tenant.browser.go(page.url, { form: { credential } })
    expect(end.url).toContain(String(misconfigured))
    expect(await tenant.endings()).toEqual(['credential_misconfigured'])
  })
})

// Proves sign-in/70.
test('A link to sign in at an unavailable provider has no event; the browser that goes on is told, and once', async () => {
  await tenant.addCredential(providers.away, other)
  await as('DELETE', '/organizations/sso/oidc/provider-credentials/signet')
  const { url } = await tenant.application.begin()
  const followed = await fetch(url.replace('https://id.signet.test', service.baseUrl), { redirect: 'manual' })
  const { url: page } = await tenant.browser.go(url, { stopAt: flowPage })
  for (const way of [followed.headers.get('location') ?? '', page]) {
    expect(new URL(way, page).href).toMatch(flowPage)
    expect((await openBrowser(() => service.baseUrl).go(new URL(way, page).href)).status).toBe(400)
  }
  const { rows } = await signIns.inside.query('select result from issuer_interactions where org_id = $1', [
    tenant.organization.id,
  ])
  expect(rows).toEqual([{ result: null }, { result: null }])
  expect(await tenant.events()).toEqual([])
  const end = await tenant.browser.go(page)
  expect(end.url).toContain(`${application}callback?error=server_error`)
  expect(new URL(end.url).searchParams.get('error_description')).toBe('the sign-in failed: provider_unreachable')
  expect((await tenant.browser.go(page)).status).toBe(400)
  expect(await tenant.events()).toEqual([
    expect.objectContaining({
      event_metadata: expect.objectContaining({ event_name: 'AuthenticationFailed_v1' }),
      failure_reason: 'provider_unreachable',
    }),
  ])
})
