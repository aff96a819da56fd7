import type { JWTPayload } from 'jose'
import type { Credential } from '../credentials/index.ts'
import type { Algorithm } from './algorithms.ts'
import type { Key } from './key-sets.ts'
import type { Profile } from './profile.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** The person as the provider identifies them. `issuer` and `subject` are the identity; all else may change. */
export type UpstreamIdentity = {
  issuer: string
  subject: string
  email?: string
  /** Whether the provider vouches for the address, by the rule of its connector. */
  emailVerified: boolean
  /** Made by `readProfile`. Absent where the connector knows none. */
  profile?: Profile
}

/** The addresses of a provider. */
export type Server = {
  /** Compared with the `iss` of callbacks and ID tokens; Entra's may be a template. */
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri?: string
  userinfo_endpoint?: string
  user_endpoint?: string
  emails_endpoint?: string
  authorization_response_iss_parameter_supported?: boolean
  id_token_signing_alg_values_supported?: string[]
  token_endpoint_auth_methods_supported?: string[]
}

/** The discovery document of an issuer, cached; `isAllowed` says whether it may name itself so. */
export type Discover = (issuer: string, isAllowed: (named: string) => boolean, fetch: ProviderFetch) => Promise<Server>

/** What the operator sets for one provider, in place of its public addresses. */
export type ProviderOverride = {
  issuer?: string
  authorization_endpoint?: string
  token_endpoint?: string
  user_endpoint?: string
  emails_endpoint?: string
  /** Self-hosted servers may confirm no address: theirs count as verified only with this. */
  trust_email?: boolean
}

export type Claims = JWTPayload

/** The rules of one provider's ID tokens; a token that breaks them is rejected. */
export type IdTokenRules = {
  /** Whatever the token's header says, no other is accepted. */
  algorithms: readonly Algorithm[]
  /** Whether the safe ones of the discovery document are accepted in their place: the server is not the provider's public one. */
  areDiscovered?(override: ProviderOverride): boolean
  /** The `iss` of its tokens; without it, the server's issuer. */
  issuerOf?(claims: Claims, server: Server): string
  /** Names the further rule that a token breaks. */
  brokenRule?(
    claims: Claims & { iss: string },
    verified: { server: Server; credential: Credential; key: Key | undefined },
  ): string | undefined
}

type Location = { credential: Credential; override: ProviderOverride; discover: Discover; fetch: ProviderFetch }

/** The result of the code exchange. */
export type Grant = {
  credential: Credential
  override: ProviderOverride
  server: Server
  accessToken: string
  /** The claims of the verified ID token; empty where there is none. */
  claims: Claims
  fetch: ProviderFetch
}

/** `rule`: what the subject must be, where it is none of an account there. */
export type NamedIdentity = Pick<UpstreamIdentity, 'issuer' | 'subject'> | { rule: string }

/** A parsed response of a token endpoint. */
export type TokenResponse = { status: number; body: Record<string, unknown> }

/** `idOf`: undefined where the account is of another tenant. */
type DirectoryIds = { subjectOf(id: string): string; idOf(subject: string): string | undefined }

/** The differences of one provider; everything else is the same for all. */
export type Connector = {
  /** How the client authenticates at the token endpoint; 'discovered': by Basic, unless the document lists only the other. */
  tokenAuth: 'basic' | 'post' | 'discovered'
  /** What SIGNET_PROVIDERS may set, besides `trust_email`. */
  overridable: readonly (keyof ProviderOverride)[]
  locate(location: Location): Promise<Server>
  /** The option of a credential that names the server, or the tenant of a server. */
  serverOption?: 'organization_url' | 'tenant' | 'issuer'
  /** Whether the credential does not determine its issuer: then the first issuer found is stored, and no other accepted. */
  isIssuerOpen?(credential: Credential): boolean
  /** Whether accounts like this one are anybody's, though the credential names a tenant. */
  isOfEverybody?(claims: Claims, server: Server): boolean
  /** Without rules no ID token is read; with them one is required wherever the scopes have `openid`. */
  idToken?: IdTokenRules
  /** Values of `prompt` that it supports; it may refuse a request with another one. */
  prompts?: readonly string[]
  /** Other parameters of an authorization request that it supports (OpenID Connect Core, 3.1.2.1). */
  parameters?: readonly ('max_age' | 'login_hint' | 'ui_locales')[]
  /** Makes the callback's parameters standard ones. */
  normalizeCallback?(parameters: URLSearchParams, server: Server): URLSearchParams
  /** Makes an error of the token endpoint a standard one. */
  normalizeTokenError?(response: TokenResponse): TokenResponse
  identify(grant: Grant): Promise<Omit<UpstreamIdentity, 'issuer'>>
  /**
   * The identity of an account that an administrator names by its subject. Without it: that subject at the issuer of the credential.
   * `issuerOf` gives the issuer of a credential.
   */
  nameIdentity?(
    subject: string,
    credential: Credential,
    issuerOf: (credential: Credential) => Promise<string>,
  ): Promise<NamedIdentity>
  /** How an account is called by the directory behind a customer's own server, at the issuer of the credential. */
  directoryIds?(credential: Credential, issuer: string): DirectoryIds | undefined
  /** The requests of `identify`, in their order. */
  profileRequests?: readonly ('profile' | 'emails')[]
}
