import type { Credential } from '../credentials/index.ts'
import { isSubject } from './claims.ts'
import type { Discover, NamedIdentity } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { connectors } from './registry.ts'

/**
 * The identity of an account at the provider of a credential, which nobody has signed in with yet. Asks the provider only for the issuer
 * of a domain that is not known; then it may throw a `ProviderFailure`.
 */
export async function nameIdentity(
  { credential, subject }: { credential: Credential; subject: string },
  dependencies: Dependencies,
): Promise<NamedIdentity> {
  const connector = connectors[credential.provider]
  if (connector.nameIdentity) return connector.nameIdentity(subject, credential, (of) => issuerOf(of, dependencies))
  if (!isSubject(subject)) return { rule: 'must be 1 to 255 printable ASCII characters' }
  return { subject, issuer: await issuerOf(credential, dependencies) }
}

/** Asks the provider for that of a domain which is not known. */
export async function issuerOf(credential: Credential, { override, discover, createFetch }: Dependencies) {
  const connector = connectors[credential.provider]
  const isUnknown = credential.issuer === undefined && connector.isIssuerOpen?.(credential) === true
  const locating = { credential, override, discover: isUnknown ? discover : believe, fetch: createFetch(credential) }
  return credential.issuer ?? (await connector.locate(locating)).issuer
}

/** A discovery document must name the issuer at which it was looked for, so the provider need not be asked. */
const believe: Discover = async (issuer) => ({
  issuer,
  authorization_endpoint: issuer,
  token_endpoint: issuer,
  jwks_uri: issuer,
  userinfo_endpoint: issuer,
})
