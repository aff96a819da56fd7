import { type Credential, isCustomersOwn, type Provider } from '../credentials/index.ts'
import type { Dependencies } from './dependencies.ts'
import { issuerOf } from './name-identity.ts'
import { connectors } from './registry.ts'
import { optionsOf } from './trusted-domains.ts'

/** The accounts at a customer's own provider, by the ids that the customer's directory has for them. */
export type Accounts = {
  provider: Provider
  issuer: string
  subjectOf(id: string): string
  /** Undefined: of another tenant. */
  idOf(subject: string): string | undefined
}

/**
 * Undefined where the provider is not the customer's own, for then anybody's account could be named; where its tenant is not known yet;
 * and where a subject is no id of a directory. Asks nobody.
 */
export async function accountsAt(credential: Credential, dependencies: Dependencies): Promise<Accounts | undefined> {
  const { provider } = credential
  const { override } = dependencies
  const connector = connectors[provider]
  const isKnown = credential.issuer !== undefined || connector.isIssuerOpen?.(credential) !== true
  if (!isKnown || !isCustomersOwn(provider, optionsOf(credential), { [provider]: override })) return undefined
  const issuer = await issuerOf(credential, dependencies)
  const ids = connector.directoryIds?.(credential, issuer)
  return ids && { provider, issuer, ...ids }
}
