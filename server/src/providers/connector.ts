import type { Credential } from '../credentials/index.ts'
import type { Claims, IdTokenRules } from './id-token.ts'
import type { ProviderOverride } from './overrides.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** Who signed in, as the provider says. `issuer` and `subject` are the identity; all else may change. */
export type UpstreamIdentity = {
  issuer: string
  subject: string
  email?: string
  /** Whether the provider vouches for the address, by the rule of its connector. */
  emailVerified: boolean
  name?: string
}

/** Where a provider is. */
export type Server = {
  /** What the `iss` of its answers is compared with; of Entra perhaps a template. */
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri?: string
  userinfo_endpoint?: string
  user_endpoint?: string
  emails_endpoint?: string
  authorization_response_iss_parameter_supported?: boolean
}

/** The document of an issuer, from the cache or anew; `fits` says whether it may name itself so. */
export type Discover = (issuer: string, fits: (named: string) => boolean, fetch: ProviderFetch) => Promise<Server>

export type Location = {
  credential: Credential
  override: ProviderOverride
  discover: Discover
  fetch: ProviderFetch
}

/** What the provider gave for the code. */
export type Grant = {
  credential: Credential
  override: ProviderOverride
  server: Server
  accessToken: string
  /** Of the verified ID token; empty where there is none. */
  claims: Claims
  fetch: ProviderFetch
}

/** The answer of a token endpoint, as parsed. */
export type TokenAnswer = { status: number; body: Record<string, unknown> }

/** What is different about one provider; everything else is the same for all. */
export type Connector = {
  /** How the client proves itself to the token endpoint. */
  tokenAuth: 'basic' | 'post'
  /** What SIGNET_PROVIDERS may say of it, besides `trust_email`. */
  overridable: readonly (keyof ProviderOverride)[]
  locate(location: Location): Promise<Server>
  /** Whether the credential leaves open which issuer it stands for: then the first one found is remembered, and no other taken. */
  isIssuerOpen?(credential: Credential): boolean
  /** How an ID token is judged. Without it none is read; with it one is needed wherever `openid` is asked for. */
  idToken?: IdTokenRules
  /** Values of `prompt` that it knows; it may refuse a request with another one. */
  prompts?: readonly string[]
  /** Other parameters of an authorization request that it knows (OpenID Connect Core, 3.1.2.1). */
  parameters?: readonly ('max_age' | 'login_hint' | 'ui_locales')[]
  /** Makes the callback's parameters what the standards say. */
  fitAnswer?(answer: URLSearchParams, server: Server): URLSearchParams
  /** Makes an error of the token endpoint what the standards say. */
  fitTokenAnswer?(answer: TokenAnswer): TokenAnswer
  identify(grant: Grant): Promise<Omit<UpstreamIdentity, 'issuer'>>
}
