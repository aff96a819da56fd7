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
    const { id, version, provider, client_id, client_secret, options } = found
    const clientSecret = openSecret(vault, organizationId, client_secret)
    return { id, version, provider, clientId: client_id, clientSecret, ...usedOptions(provider, options) }
  }
