import { expect } from 'vitest'
import { createEgressClient } from '../../src/ground/outbound/index.ts'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeOrganizationToken } from '../../src/ground/runtime/organization-token.ts'
import type { Credential, Provider } from '../../src/identity/credentials/index.ts'
import { createProviders, type ProviderOverrides, type Providers } from '../../src/identity/providers/index.ts'
import { browse, callbackUrl, client, startOauthProviders, startOidcProviders, type Upstreams } from './upstreams.ts'

export const scopes: Record<Provider, string[]> = {
  provider_a: ['openid', 'email', 'profile'],
  provider_b: ['read:user', 'user:email'],
  provider_c: ['account'],
  provider_d: ['read_user'],
  provider_e: ['email', 'public_profile'],
  provider_f: ['openid', 'email', 'profile'],
  provider_g: ['openid', 'email', 'profile', 'User.Read'],
  provider_h: ['openid', 'email', 'profile'],
  oidc: ['openid', 'email', 'profile'],
}

export const tenant = '11111111-2222-4333-8444-555555555555'
export const oid = '99999999-8888-4777-8666-555555555555'
export let oidc: Upstreams<'google' | 'line' | 'entra' | 'okta' | 'second'>
export let oauth: Upstreams<'github' | 'bitbucket' | 'gitlab' | 'facebook'>
export let overrides: ProviderOverrides
const opened: Providers[] = []

export async function openUpstreams() {
  ;[oidc, oauth] = await Promise.all([startOidcProviders(), startOauthProviders()])
  const { github, bitbucket, gitlab, facebook } = oauth.urls
  overrides = {
    provider_a: { issuer: oidc.urls.google, trust_email: true },
    provider_b: {
      authorization_endpoint: `${github}/login/oauth/authorize`,
      token_endpoint: `${github}/login/oauth/access_token`,
      user_endpoint: `${github}/api/user`,
      emails_endpoint: `${github}/api/user/emails`,
      trust_email: true,
    },
    provider_c: {
      authorization_endpoint: `${bitbucket}/site/oauth2/authorize`,
      token_endpoint: `${bitbucket}/site/oauth2/access_token`,
      user_endpoint: `${bitbucket}/2.0/user`,
      emails_endpoint: `${bitbucket}/2.0/user/emails`,
      trust_email: true,
    },
    provider_d: {
      authorization_endpoint: `${gitlab}/oauth/authorize`,
      token_endpoint: `${gitlab}/oauth/token`,
      user_endpoint: `${gitlab}/api/v4/user`,
      trust_email: true,
    },
    provider_e: {
      authorization_endpoint: `${facebook}/v25.0/dialog/oauth`,
      token_endpoint: `${facebook}/v25.0/oauth/access_token`,
      user_endpoint: `${facebook}/v25.0/me`,
    },
    provider_f: { issuer: oidc.urls.line },
    provider_g: { issuer: oidc.urls.entra, trust_email: true },
    provider_h: { issuer: oidc.urls.okta },
    oidc: { issuer: oidc.urls.okta },
  }
}

export const closeUpstreams = () =>
  Promise.all([oidc.stop(), oauth.stop(), ...opened.map((providers) => providers.close())])

export function open(providerOverrides: ProviderOverrides = overrides): Providers {
  const providers = createProviders({
    createEgressClient: (trustedOrigins) =>
      createEgressClient({ resolve: new Map(), allowCidrs: [], trustedOrigins, maxConnections: 10 }),
    clock: runningClock(),
    overrides: providerOverrides,
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
  scopes: scopes[provider],
  tenant: provider === 'provider_g' ? 'common' : undefined,
  organizationUrl: provider === 'provider_h' ? 'https://acme.okta.example' : undefined,
  namedIssuer: provider === 'oidc' ? 'https://id.acme.example' : undefined,
  trustEmailDomains: [],
  ...options,
})

export async function signIn(credential: Credential, person: object, providers = open()) {
  const { url, ...expected } = await providers.beginUpstream({ credential, callbackUrl, state: newState() })
  const answer = await browse(url, person)
  return providers.finishUpstream({ credential, callbackUrl, parameters: answer, expected })
}

export const failsWith = (code: string, detail: string | RegExp = '') => ({
  code,
  message: expect.stringMatching(detail),
})
