import { type Credential, isCustomersOwn } from '../credentials/index.ts'
import { toEmailDomain } from '../organizations/index.ts'
import type { Claims, ProviderOverride, Server } from './connector.ts'
import { connectors } from './registry.ts'

type SignedIn = { credential: Credential; override: ProviderOverride; server: Server; claims: Claims }

/**
 * Whether the address counts as confirmed because an admin key trusts this provider in its very domain. Looked at again at each
 * sign-in: the operator may have taken the server away that made the provider the customer's own.
 */
export function isOfTrustedDomain(
  email: string | undefined,
  { credential, override, server, claims }: SignedIn,
): boolean {
  const { provider, trustEmailDomains } = credential
  const domain = email && toEmailDomain(email.slice(email.lastIndexOf('@') + 1))
  if (!domain || !trustEmailDomains.includes(domain)) return false
  const isOwn = isCustomersOwn(provider, optionsOf(credential), { [provider]: override })
  return isOwn && !connectors[provider].isOfEverybody?.(claims, server)
}

export const optionsOf = ({ tenant, organizationUrl, namedIssuer }: Credential) => ({
  ...(tenant !== undefined && { tenant }),
  ...(organizationUrl !== undefined && { organization_url: organizationUrl }),
  ...(namedIssuer !== undefined && { issuer: namedIssuer }),
})
