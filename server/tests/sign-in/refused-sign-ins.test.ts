import { AuthorizationResponseError } from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { attempt } from '../support/failing-sign-ins.ts'
import { as, closeSignIns, newTenant, openSignIns, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { ada } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

/** A hook whose receiver answers so. */
async function addHook(body: string, { name = 'hook', ...trigger }: { name?: string; on_failure?: 'continue' } = {}) {
  const path = `/${tenant.organization.id}/${name}`
  signIns.receiver.behave(path, { body })
  const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
  const fields = { trigger_type: 'sync_hook', trigger_name: 'token_minted', ...trigger }
  await as('POST', `/organizations/webhooks/${id}/triggers`, fields)
  return path
}

const refusing = (reason: unknown, code = 'plan_ended') => JSON.stringify({ deny: { reason, code } })

/** What the application's library, which nobody has changed, makes of the address that the browser came back to. */
async function errorOf(params: Record<string, string> = {}) {
  const begun = await tenant.application.begin(params)
  const { url } = await tenant.browser.go(begun.url, { person: ada })
  const error = await tenant.application.finish(begun, url).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(AuthorizationResponseError)
  return { url, error: error.error, description: error.error_description }
}

/** How a refused person is known to the organization afterwards. */
const known = async () => ({ endings: await tenant.endings(), persons: await tenant.persons() })

describe('A sign-in that a hook refuses (8)', () => {
  const reason = 'Grüße 你好 🙂: your plan has ended, 100 % & <b>sorry</b>.'

  // Proves 6.2, rule 5/3, 6.1/15.
  test.each([{}, { on_failure: 'continue' } as const])(
    'The application of a first sign-in gets access_denied with the reason, and no person is made (%j)',
    async (trigger) => {
      const path = await addHook(refusing(reason), trigger)
      const { error, description, url } = await errorOf()
      expect({ error, description }).toEqual({ error: 'access_denied', description: reason })
      expect(url).toMatch(/^[\x21-\x7e]+$/)
      expect(await known()).toEqual({ endings: ['sync_hook_denied'], persons: [] })
      expect(signIns.receiver.received(path)).toHaveLength(1)
      expect(JSON.stringify(await tenant.events())).not.toContain('plan')
    },
  )

  test('The application of a session used again gets the reason, with an event, and with prompt=none without one', async () => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    const path = await addHook(refusing(reason))
    expect(await errorOf({ prompt: 'none' })).toMatchObject({ error: 'access_denied', description: reason })
    expect(await errorOf()).toMatchObject({ error: 'access_denied', description: reason })
    expect(await tenant.endings()).toEqual(['succeeded', 'sync_hook_denied'])
    expect((await tenant.events()).at(-1)).toMatchObject({ person_id: sub, authenticated_methods: ['oidc'] })
    expect(signIns.receiver.received(path)).toHaveLength(2)
  })

  test('The session outlives a refusal: once the hook lets the person in, nobody has to sign in again', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const path = await addHook(refusing(reason))
    await errorOf()
    signIns.receiver.behave(path, { body: '{}' })
    expect(await tenant.application.signIn(tenant.browser, { params: { prompt: 'none' } })).toHaveProperty('sub')
  })

  test.each<[string, string, string]>([
    ['line feeds', 'a\r\nLocation: https://evil.test\n\nb', 'a Location: https://evil.test b'],
    ['U+202E', 'file\u202efdp.exe', 'filefdp.exe'],
    ['10,000 characters', '你'.repeat(3_000), '你'.repeat(300)],
    ['HTML', '<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['percent signs', '%0d%0a&error=login_required&code=x%20#y', '%0d%0a&error=login_required&code=x%20#y'],
    ['quotes and backslashes', '"a" \\" b', 'a b'],
  ])('A reason with %s is one parameter and nothing else', async (_what, given, expected) => {
    await addHook(refusing(given))
    const { description, url } = await errorOf()
    expect(description).toBe(expected)
    expect([...new URL(url).searchParams.keys()].sort()).toEqual(['error', 'error_description', 'iss', 'state'])
    expect(new URL(url).searchParams.get('error')).toBe('access_denied')
  })

  test('A reason whose lone surrogates come as escapes loses them', async () => {
    await addHook('{"deny":{"reason":"\\ud800no\\udfff way"}}')
    expect(await errorOf()).toMatchObject({ description: 'no way' })
  })

  test.each(['{"status":"x"}', '[]'])('A refusal wins over another hook that answers %s', async (body) => {
    await addHook(body, { name: 'first' })
    await addHook(refusing(reason), { name: 'second' })
    expect(await errorOf()).toMatchObject({ error: 'access_denied', description: reason })
    expect((await known()).endings).toEqual(['sync_hook_denied'])
  })

  test('A refusal whose reason is left out says the word of the event', async () => {
    await addHook('{"deny":{"reason":7}}')
    expect(await errorOf()).toMatchObject({ description: 'the sign-in failed: sync_hook_denied' })
  })

  test('A hook that answers with deny: false lets the person in', async () => {
    await addHook('{"deny":false,"plan":"gold"}')
    expect(errorIn(await attempt())).toBeUndefined()
  })
})
