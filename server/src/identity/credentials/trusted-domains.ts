import { Type } from 'typebox'
import { rule } from '../../ground/http/chain/schemas.ts'
import { toEmailDomain } from '../organizations/index.ts'
import { type Provider, type ProviderOptions, serverOptions } from './provider-options.ts'
import { isPublicMailDomain } from './public-mail-domains.ts'

export const maxDomains = 50

export const trust_email_domains = Type.Array(Type.String(), {
  maxItems: maxDomains,
  ...rule(`must be an array of at most ${maxDomains} domain names`),
  description:
    "Addresses in these very domains count as confirmed by this provider, which must be the customer's own: provider_h, oidc, provider_g with " +
    'the GUID or a domain of a tenant, or a server that the operator has set for the provider. Set by admin keys only; a new tenant, ' +
    '`organization_url` or `issuer` empties it. A-labels in lower case; none of a public mail service. Default: none.',
  examples: [['corp.example']],
})

/** What the operator has set for a provider in place of its public addresses (`SIGNET_PROVIDERS`). */
export type OperatorServers = { [Name in Provider]?: { issuer?: string; trust_email?: boolean } }

/** The Entra tenant of all personal accounts. */
export const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'
const pseudoTenants = ['common', 'organizations', 'consumers', personalTenant]

/** Each of these is one server at which anybody may have an account. */
const publicHosts = [
  'accounts.google.com',
  'account.apple.com',
  'appleid.apple.com',
  'gitlab.com',
  'github.com',
  'bitbucket.org',
  'www.facebook.com',
  'www.linkedin.com',
  'access.line.me',
  'login.microsoftonline.com',
  'login.live.com',
  'login.salesforce.com',
  'login.yahoo.com',
  'api.login.yahoo.com',
  'slack.com',
  'id.twitch.tv',
  'discord.com',
  'kauth.kakao.com',
  'nid.naver.com',
  'www.paypal.com',
  'account.box.com',
  'auth.atlassian.com',
]

/**
 * Whether a provider is the customer's own, so that whoever it vouches for is one of them. At any other, everybody could bring an
 * address in a trusted domain.
 */
export function isCustomersOwn(provider: Provider, options: ProviderOptions, servers: OperatorServers): boolean {
  const { trust_email, ...addresses } = servers[provider] ?? {}
  const isOperators = Object.keys(addresses).length > 0
  const { tenant = '', organizationUrl, namedIssuer } = serverOptions(provider, options)
  if (provider === 'provider_g' && (addresses.issuer ?? '{tenant}').includes('{tenant}'))
    return !pseudoTenants.includes(tenant)
  if (isOperators) return true
  const server = organizationUrl ?? namedIssuer
  const isPublic = server !== undefined && publicHosts.includes(new URL(server).hostname)
  return (provider === 'provider_h' || provider === 'oidc') && !isPublic
}

type Reading = { domains: string[]; problems: string[] }

/** A-labels in lower case, each once. A text that is undefined broke a rule of the schema, which says so. `field`: where they are given. */
export function readTrustedDomains(texts: (string | undefined)[], field = 'trust_email_domains'): Reading {
  const domains = texts.map((text) => (text === undefined ? undefined : (toEmailDomain(text) ?? '')))
  const problems = domains.flatMap((domain, index) => {
    if (domain === '') return [`${field}[${index}]: must be a domain name, such as corp.example`]
    return domain && isPublicMailDomain(domain) ? [`${field}[${index}]: is of a public mail service`] : []
  })
  return { domains: [...new Set(domains.filter((domain) => domain !== undefined))], problems }
}

export const notCustomersOwn =
  "trust_email_domains: must be absent or empty where the provider is not the customer's own: it is for provider_h, oidc, provider_g with the " +
  'GUID or a domain of a tenant, and a server of SIGNET_PROVIDERS'
