import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Provider } from '../../src/identity/credentials/index.ts'
import {
  closeHostile,
  credentialOf,
  failsWith,
  newState,
  openAt,
  openHostile,
  signIn,
} from '../support/hostile-provider.ts'
import { callbackUrl } from '../support/upstreams.ts'

beforeAll(openHostile)
afterAll(closeHostile)

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const slots: Provider[] = ['provider_a', 'provider_g', 'provider_h', 'oidc']
const lieFor = (provider: Provider, lie: string) => (provider === 'provider_g' ? `entra-${lie}` : lie)

describe.each(slots)('The algorithm of a server that is set for %s', (provider) => {
  test.each(algorithms)('The algorithm %s is accepted where the document lists it', async (algorithm) => {
    expect(await signIn(lieFor(provider, `signs-${algorithm}`), { provider })).toHaveProperty('subject')
  })
})

// Proves sign-in/72.
test.each(['hmac-with-public-key-and-listed', 'alg-none-and-listed', 'ec-signed'])(
  'An algorithm that is not safe, or not listed, is refused: %s',
  async (lie) => {
    for (const provider of ['provider_a', 'provider_h', 'oidc'] as const)
      await expect(signIn(lie, { provider })).rejects.toMatchObject(
        failsWith('oidc_token_invalid', /alg is not allowed/),
      )
  },
)

test('Of several algorithms that are listed each is accepted', async () => {
  expect(await signIn('ec-signed-and-listed')).toHaveProperty('subject')
})

// Proves sign-in/72.
test.each(['lists-hmac-only', 'lists-nothing'])(
  'A server without a safe algorithm is refused before anybody is sent there: %s',
  async (lie) => {
    for (const provider of ['provider_a', 'provider_h', 'oidc'] as const) {
      const providers = openAt(provider, lie)
      const credential = credentialOf(provider)
      const failure = await providers
        .beginUpstream({ credential, callbackUrl, state: newState() })
        .catch((error) => error)
      expect(failure).toMatchObject(
        failsWith('credential_misconfigured', /^discovery: signs ID tokens by no algorithm/),
      )
      expect(providers.diagnose(failure, credential)).toEqual({
        step: 'discovery',
        field: 'SIGNET_PROVIDERS',
        message: expect.stringContaining('RS256, RS384'),
      })
    }
  },
)

test('A server that lists nothing signs by RS256, as the standard has it', async () => {
  expect(await signIn('lists-no-list', { provider: 'oidc' })).toHaveProperty('subject')
})
