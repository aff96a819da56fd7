import { join } from 'node:path'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  randomPKCECodeVerifier,
} from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { type Life, repository, run } from '../support/program.ts'

const callback = 'http://localhost:8080/sso/callback/somebody'
const cleanings: (() => void)[] = []
const life: Life = { onTestFinished: (clean) => void cleanings.push(clean) }
let config: Awaited<ReturnType<typeof discovery>>

beforeAll(async () => {
  const port = await freePort()
  const provider = run(life, [process.execPath, join(repository, 'examples/provider/provider.ts')], { PORT: `${port}` })
  await provider.says(/^Listening: /m)
  const authentication = ClientSecretPost('known-to-everybody')
  const options = { execute: [allowInsecureRequests] }
  config = await discovery(new URL(`http://127.0.0.1:${port}`), 'signet-example', {}, authentication, options)
})

afterAll(() => {
  for (const clean of cleanings) clean()
})

describe('The provider of npm run provider', () => {
  test('The example provider vouches for whatever address is entered', async () => {
    const { sub, claims } = await signIn({ outcome: 'verified' })
    expect(sub).toBe('ada@example.com')
    expect(claims).toMatchObject({ email: 'ada@example.com', email_verified: true, name: 'Ada' })
  })

  test('The example provider does not vouch for an address where that is asked for', async () => {
    expect((await signIn({ outcome: 'unverified' })).claims).toMatchObject({ email_verified: false })
  })

  test('The example provider gives an ID token with another nonce where that is asked for', async () => {
    await expect(signIn({ outcome: 'wrong_nonce' })).rejects.toMatchObject({ cause: { cause: { claim: 'nonce' } } })
  })

  test('The example provider fails at the token endpoint where that is asked for', async () => {
    await expect(signIn({ outcome: 'token_error' })).rejects.toMatchObject({ cause: { status: 500 } })
  })

  test.each(['access_denied', 'server_error', 'temporarily_unavailable'])(
    'The example provider answers %s where that is asked for',
    async (outcome) => {
      await expect(signIn({ outcome })).rejects.toMatchObject({ error: outcome })
    },
  )

  test('The example provider refuses by a button of its own', async () => {
    await expect(signIn({ refuse: 'yes' })).rejects.toMatchObject({ error: 'access_denied' })
  })
})

async function signIn(form: Record<string, string>) {
  const pkceCodeVerifier = randomPKCECodeVerifier()
  const checks = { expectedNonce: 'a-nonce', expectedState: 'a-state', pkceCodeVerifier, idTokenExpected: true }
  const url = buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: 'openid email profile',
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    nonce: checks.expectedNonce,
    state: checks.expectedState,
  })
  const tokens = await authorizationCodeGrant(config, await browse(url, form), checks)
  const { sub } = tokens.claims() as { sub: string }
  return { sub, claims: await fetchUserInfo(config, tokens.access_token, sub) }
}

/** As a browser: to the page, sends its form, and on to where it is led. */
async function browse(start: URL, form: Record<string, string>): Promise<URL> {
  const cookies = new Map<string, string>()
  let [url, body]: [URL, URLSearchParams | null] = [start, null]
  while (!url.href.startsWith(callback)) {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const answer = await fetch(url, { method: body ? 'POST' : 'GET', body, headers, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const isPage = answer.status === 200
    if (isPage) expect(await answer.text()).toContain('<h1>Example Login</h1>')
    url = new URL(answer.headers.get('location') ?? '', url)
    body = isPage ? new URLSearchParams({ name: 'Ada', email: 'ada@example.com', ...form }) : null
  }
  return url
}
