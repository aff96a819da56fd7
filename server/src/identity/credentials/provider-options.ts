import { isDeepStrictEqual } from 'node:util'
import { type TSchema, Type } from 'typebox'
import type { Fault } from '../../ground/errors.ts'
import { closed, named, rule } from '../../ground/http/chain/schemas.ts'

export type Provider =
  | 'provider_a'
  | 'provider_b'
  | 'provider_c'
  | 'provider_d'
  | 'provider_e'
  | 'provider_f'
  | 'provider_g'
  | 'provider_h'
  | 'oidc'
/** The stored options of one provider; an absent one has its default. */
export type ProviderOptions = {
  authorize_scopes?: string[]
  tenant?: string
  organization_url?: string
  issuer?: string
}
type OptionsPatch = { [Option in keyof ProviderOptions]?: ProviderOptions[Option] | null }
type OptionsByProvider = { [Name in Provider]?: OptionsPatch | null }

const maxScopes = 50
const scopesRule = `must be an array of at most ${maxScopes} scopes`
/** A scope token of RFC 6749 without the comma, by which some providers separate scopes. */
const scopeForm = '^[\\x21\\x23-\\x2B\\x2D-\\x5B\\x5D-\\x7E]{1,256}$'
const scopeRule = 'must be 1 to 256 printable ASCII characters without blank, comma, quote and back slash'

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** Two labels or more; the last begins with a letter, unlike that of an IP address. */
const domain = `(?:${label}\\.)+(?=[A-Za-z])${label}`
const guid = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'
const maxTenantLength = 253
const maxUrlLength = 270
const maxIssuerLength = 500
/** Not of a host that only this machine has. */
const publicName = `(?!.*\\.[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]\\b)${domain}`
/** As RFC 3986 has it, without the segments that a URL parser takes away. */
const path = `(?:/(?!\\.{1,2}(?:/|$))(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*`

const authorize_scopes = Type.Array(Type.String({ pattern: scopeForm, ...rule(scopeRule) }), {
  maxItems: maxScopes,
  ...rule(scopesRule),
  description: 'Requested in addition to those that are always requested, which are also the default.',
})
const tenant = Type.String({
  pattern: `^(?:common|organizations|consumers?|${guid}|${domain})$`,
  maxLength: maxTenantLength,
  ...rule('must be a GUID, a domain name, common, organizations or consumer'),
  description:
    'A tenant GUID, a tenant domain (an international one as A-labels), or one of the pseudo tenants `common` (the ' +
    'default), `organizations` and `consumer` (also `consumers`).',
})
const organization_url = Type.String({
  pattern: `^https://(?![^.]*-[Aa][Dd][Mm][Ii][Nn]\\.)(?!.*\\.[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]\\b)${domain}(?::443)?/?$`,
  maxLength: maxUrlLength,
  ...rule('must be https:// and a host name, without user, other port, path and query, and not of an -admin host'),
  description:
    'The address of the organization at the provider: `https://` and a host name (an international one as A-labels), not ' +
    'that of its `-admin` host. Required for a credential of provider_h.',
})
const issuer = Type.String({
  pattern: `^https://${publicName}(?::443)?${path}$`,
  maxLength: maxIssuerLength,
  ...rule('must be https:// and a host name, without user, other port, query and fragment; it may have a path'),
  description:
    "The issuer of the customer's own provider, character by character as its discovery document names it, a closing slash included. That " +
    'document is at `/.well-known/openid-configuration` below it, and all its endpoints are on this host. Required for a credential of oidc.',
  examples: ['https://id.corp.example/realms/staff'],
})

type Facts = {
  /** The provider's name. */
  label: string
  /** Always requested, and the default of `authorize_scopes`. */
  scopes: string[]
  /** The members of its object in `options`. */
  fields: { [Option in keyof ProviderOptions]: TSchema }
  /** Defaults of the other options. */
  defaults?: ProviderOptions
  required?: keyof ProviderOptions
}

/** The table of 2.1: all differences between the options of providers. */
const facts: Record<Provider, Facts> = {
  provider_a: { label: 'Google', scopes: ['openid', 'email', 'profile'], fields: { authorize_scopes } },
  provider_b: { label: 'GitHub', scopes: ['read:user', 'user:email'], fields: { authorize_scopes } },
  provider_c: { label: 'Bitbucket Cloud', scopes: ['account'], fields: { authorize_scopes } },
  provider_d: { label: 'GitLab', scopes: ['read_user'], fields: { authorize_scopes } },
  provider_e: { label: 'Facebook', scopes: ['email', 'public_profile'], fields: { authorize_scopes } },
  provider_f: { label: 'LINE', scopes: ['openid', 'email', 'profile'], fields: { authorize_scopes } },
  provider_g: {
    label: 'Microsoft Entra ID',
    scopes: ['openid', 'email', 'profile', 'User.Read'],
    fields: { authorize_scopes, tenant },
    defaults: { tenant: 'common' },
  },
  provider_h: {
    label: 'Okta',
    scopes: ['openid', 'email', 'profile'],
    fields: { authorize_scopes, organization_url },
    required: 'organization_url',
  },
  oidc: {
    label: 'OpenID Connect',
    scopes: ['openid', 'email', 'profile'],
    fields: { authorize_scopes, issuer },
    required: 'issuer',
  },
}

const providerNames = Object.keys(facts) as Provider[]
const nameWithLabel = (provider: Provider) => `${provider} (${facts[provider].label})`

/** What somebody needs to know who makes a credential of a provider: `options` as they are by default. */
export const describeOptions = (provider: Provider) => {
  const { scopes, required } = facts[provider]
  return { scopes, options: shownOptions(provider, {}), required_options: required ? [required] : [] }
}

export const ProviderName = Type.Enum(providerNames, {
  ...rule(`must be one of ${providerNames.map(nameWithLabel).join(', ')}`),
  description: `The identity provider: ${providerNames.map(nameWithLabel).join(', ')}.`,
})

/** Null restores the default. Unlike with a union, errors name the member that is wrong. */
const orNull = (schema: TSchema): TSchema => ({ ...schema, type: [(schema as { type?: string }).type, 'null'] })
const unchanged = (schema: TSchema): TSchema => schema

const description = 'For each provider an object; a credential uses and shows that of its own provider.'
const examples = [{ provider_a: { authorize_scopes: ['openid', 'email', 'profile'] } }]

function optionsSchema(each: (schema: TSchema) => TSchema) {
  const objectOf = (members: [string, TSchema][], options: object) =>
    each(closed(Object.fromEntries(members.map(([name, schema]) => [name, Type.Optional(schema)])), options))
  const ofProvider = ({ label, scopes, fields }: Facts) =>
    objectOf(
      Object.entries(fields).map(([name, schema]) => [name, each(schema)]),
      { description: `Of ${label}. Always requested, and the default: ${scopes.join(', ')}.` },
    )
  return objectOf(
    Object.entries(facts).map(([provider, its]) => [provider, ofProvider(its)]),
    { description, examples },
  )
}

export const Options = named('CredentialOptions', Type.Unsafe<OptionsByProvider>(optionsSchema(unchanged)))
export const OptionsPatch = named(
  'CredentialOptionsChanges',
  Type.Unsafe<OptionsByProvider | null>(optionsSchema(orNull)),
)

/** Applies a merge patch (RFC 7396): absent options stay, null restores the default. */
export function mergeOptions(
  before: ProviderOptions,
  provider: Provider,
  patch: OptionsByProvider | null | undefined,
): ProviderOptions {
  const own = patch === null ? null : patch?.[provider]
  if (own === undefined) return before
  const merged = own === null ? {} : { ...before, ...own }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}

/** The error for a required option that is missing. */
export function missingOption(provider: Provider, options: ProviderOptions): Fault[] {
  const { required } = facts[provider]
  if (!required || options[required] !== undefined) return []
  return [{ code: 'required', message: `options.${provider}.${required}: is required for ${provider}` }]
}

const withDefaults = (provider: Provider, options: ProviderOptions) => {
  const { scopes, defaults } = facts[provider]
  return { authorize_scopes: scopes, ...defaults, ...options }
}

/** The options as the API shows them (2.1). */
export const shownOptions = (provider: Provider, options: ProviderOptions): OptionsByProvider => ({
  [provider]: withDefaults(provider, options),
})

/** Whether another tenant or another server signs persons in, however either is written. */
export const pointElsewhere = (provider: Provider, before: ProviderOptions, after: ProviderOptions): boolean =>
  !isDeepStrictEqual(serverOptions(provider, before), serverOptions(provider, after))

/** Who signs persons in: `tenant` and `organizationUrl` as the provider's addresses have them, `namedIssuer` as it was given. */
type ServerOptions = {
  tenant: string | undefined
  organizationUrl: string | undefined
  namedIssuer: string | undefined
}
/** The options for requests. */
export type UsedOptions = ServerOptions & { scopes: string[] }

export function serverOptions(provider: Provider, options: ProviderOptions): ServerOptions {
  const { tenant, organization_url, issuer } = withDefaults(provider, options)
  return {
    tenant: tenant === 'consumer' ? 'consumers' : tenant?.toLowerCase(),
    organizationUrl: organization_url && new URL(organization_url).origin,
    namedIssuer: issuer,
  }
}

export function usedOptions(provider: Provider, options: ProviderOptions): UsedOptions {
  const { authorize_scopes } = withDefaults(provider, options)
  const scopes = [...new Set([...facts[provider].scopes, ...authorize_scopes])]
  return { scopes, ...serverOptions(provider, options) }
}
