import { expect } from 'vitest'
import { createEgressClient } from '../../src/ground/outbound/index.ts'
import { createNameLookup } from '../../src/ground/outbound/name-lookup.ts'
import { type Clock, runningClock } from '../../src/ground/runtime/clock.ts'
import { makeOrganizationToken } from '../../src/ground/runtime/organization-token.ts'
import type { Credential, Provider } from '../../src/identity/credentials/index.ts'
import { createProviders, type ProviderOverrides, type Providers } from '../../src/identity/providers/index.ts'
import { type NameServer, startNameServer } from './name-server.ts'
import { browse, callbackUrl, client, startHostileProvider, type Upstreams } from './upstreams.ts'

export const tenant = '11111111-2222-4333-8444-555555555555'
export let hostile: Upstreams<'base'>
let nameServer: NameServer
const opened: Providers[] = []

export async function openHostile() {
  hostile = await startHostileProvider()
  nameServer = await startNameServer({
    'private.test': { A: ['127.0.0.1'] },
    'rebinding.test': { A: ['93.184.216.34', '10.0.0.1'] },
  })
}

export const closeHostile = () =>
  Promise.all([hostile.stop(), nameServer.stop(), ...opened.map((providers) => providers.close())])

export function open(overrides: ProviderOverrides, clock: Clock = runningClock()): Providers {
  const lookUpName = createNameLookup([nameServer.address])
  const providers = createProviders({
    createEgressClient: (trustedOrigins) =>
      createEgressClient({ resolve: new Map(), allowCidrs: [], trustedOrigins, maxConnections: 10, lookUpName }),
    clock,
    overrides,
  })
  opened.push(providers)
  return providers
}

export const newState = () => makeOrganizationToken('01a1fdec-4b58-7279-8a15-173fda3083f7')

export const credentialOf = (provider: Provider, options: Partial<Credential> = {}): Credential => ({
  id: '0190a5a0-0000-7000-8000-000000000001',
  version: 1,
  issuer: undefined,
  provider,
  ...client,
  scopes: ['openid', 'email', 'profile'],
  tenant: 'common',
  organizationUrl: 'https://private.test',
  namedIssuer: 'https://private.test',
  trustEmailDomains: [],
  ...options,
})
export const issuerOf = (lie: string) => `${hostile.urls.base}/${lie}${lie.startsWith('entra') ? '/{tenant}/v2.0' : ''}`

export const openAt = (provider: Provider, lie: string, clock?: Clock) =>
  open({ [provider]: { issuer: issuerOf(lie) } }, clock)
export type AuthRequirements = Parameters<Providers['beginUpstream']>[0]['authRequirements']

type Attempt = {
  provider?: Provider
  clock?: Clock
  credential?: Partial<Credential>
  providers?: Providers
  authRequirements?: AuthRequirements
  /** On the way back through the browser. */
  tamper?: (answer: URLSearchParams) => void
}

export async function signIn(lie: string, attempt: Attempt = {}) {
  const { provider = 'provider_a', clock, credential, providers, authRequirements, tamper } = attempt
  const { beginUpstream, finishUpstream } = providers ?? openAt(provider, lie, clock)
  const begun = { credential: credentialOf(provider, credential), callbackUrl, state: newState() }
  const { url, ...expected } = await beginUpstream({ ...begun, ...(authRequirements && { authRequirements }) })
  const answer = await browse(url)
  tamper?.(answer)
  return finishUpstream({ ...begun, parameters: answer, expected })
}

export const count = async (path: string): Promise<number> =>
  (await fetch(`${hostile.urls.base}/count${path}`)).json() as Promise<number>
export const failsWith = (word: string, detail: RegExp) => ({ code: word, message: expect.stringMatching(detail) })
