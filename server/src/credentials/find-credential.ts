import type { Queries } from '../database/database.ts'
import type { Vault } from '../keys/index.ts'
import { findById } from './credential-store.ts'
import { type Provider, type UsedOptions, usedOptions } from './provider-options.ts'
import { openSecret } from './sealed-secret.ts'

/** What a provider is asked with. */
export type Credential = UsedOptions & {
  id: string
  /** Rises with each change. */
  version: number
  provider: Provider
  clientId: string
  clientSecret: string
  /** The one that it was found to stand for, where its options leave that open and somebody has looked. */
  issuer: string | undefined
}

export type FindCredential = (
  queries: Queries,
  organizationId: string,
  credentialId: string,
) => Promise<Credential | undefined>

/** Throws when no master key opens the secret. */
export const createFindCredential =
  (vault: Vault): FindCredential =>
  async (queries, organizationId, credentialId) => {
    const found = await findById(queries, organizationId, credentialId)
    if (!found) return undefined
    const { id, version, provider, client_id, client_secret, options, issuer } = found
    const clientSecret = openSecret(vault, organizationId, client_secret)
    const client = { clientId: client_id, clientSecret }
    return { id, version, provider, ...client, issuer: issuer ?? undefined, ...usedOptions(provider, options) }
  }
