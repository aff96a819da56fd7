import { refused } from './refused.ts'
import { type Organization, type Signet, startOwnSignet } from './signet.ts'

export const collection = '/organizations/sso/oidc/provider-credentials'
export const noCredential = refused(404, 'credential: not found')
export const secret = 'the-client-secret'
export const required = { client_id: 'client', client_secret: secret, provider: 'provider_a' }

export let signet: Signet
export let ours: Organization

export async function openCredentials() {
  signet = await startOwnSignet()
}

export const closeCredentials = () => signet?.stop()

export async function newOrganization() {
  ours = await signet.organization()
}

export const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)
export const create = (fields: object = {}) => ask('POST', collection, { ...required, ...fields })
export const pathOf = (clientId: string) => `${collection}/${encodeURIComponent(clientId)}`
export const get = (clientId = 'client') => ask('GET', pathOf(clientId))
export const change = (changes: unknown, clientId = 'client') => ask('PATCH', pathOf(clientId), changes)
export const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index))

/** The table of 2.1: what is requested by default and always. */
export const scopes: Record<string, string[]> = {
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

export const organization_url = 'https://acme.okta.example'

export const issuer = 'https://id.acme.example/realms/staff'

const neededOf: Record<string, object> = { provider_h: { organization_url }, oidc: { issuer } }
/** What a credential of a provider must be given. */
export const needed = (provider: string) => neededOf[provider] ?? {}

export const ofProvider = (provider: string, options: object = {}) => ({
  provider,
  options: { [provider]: { ...needed(provider), ...options } },
})
export const scopeRule = 'must be 1 to 256 printable ASCII characters without blank, comma, quote and back slash'
export const tenantRule = 'options.provider_g.tenant: must be a GUID, a domain name, common, organizations or consumer'

export const urlRule =
  'options.provider_h.organization_url: must be https:// and a host name, without user, other port, path and query, and not ' +
  'of an -admin host'
export const urlMissing = 'options.provider_h.organization_url: is required for provider_h'
export const issuerRule =
  'options.oidc.issuer: must be https:// and a host name, without user, other port, query and fragment; it may have a path'
export const issuerMissing = 'options.oidc.issuer: is required for oidc'
