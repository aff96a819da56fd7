import type { Database, Transaction } from '../../ground/database/database.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import { isStorable } from '../../ground/http/chain/validation.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import { createCache } from '../../ground/runtime/cache.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import {
  type Choice,
  findById,
  findChoice,
  listChoices,
  type StoredCredential,
  saveIssuer,
} from './credential-store.ts'
import { decryptSecret } from './encrypted-secret.ts'
import { type Provider, type UsedOptions, usedOptions } from './provider-options.ts'

/** Cached credentials, up to 15 kB each with all possible options, and lists of choices. */
const maxCredentials = 1_000
const maxLists = 1_000

/** A credential with its secret decrypted. */
export type Credential = UsedOptions & {
  id: string
  /** Incremented by each change. */
  version: number
  provider: Provider
  clientId: string
  clientSecret: string
  /** The issuer found by discovery, where the options do not determine it. */
  issuer: string | undefined
  /** Addresses in these count as confirmed, as long as the provider is the customer's own. */
  trustEmailDomains: string[]
}

/** The credentials for sign-ins, cached with their secrets encrypted. */
export type Credentials = {
  /** The oldest first, at most as many as a page can offer; others are found by their client id. */
  list(organizationId: string): Promise<Choice[]>
  /** The credential that an application names; `clientId` may be any text. */
  findNamed(organizationId: string, clientId: string): Promise<Choice | undefined>
  /** Of one that is active. Throws if no master key decrypts the secret. */
  find(organizationId: string, credentialId: string): Promise<Credential | undefined>
  /** The same, also of one that is not active, which may be tested. */
  findToTest(organizationId: string, credentialId: string): Promise<Credential | undefined>
  has(organizationId: string, credentialId: string): Promise<boolean>
  /** Also of one that is not active, and whose secret no master key decrypts. */
  providerOf(organizationId: string, credentialId: string): Promise<Provider | undefined>
  saveIssuer(organizationId: string, credential: Pick<Credential, 'id' | 'version'>, issuer: string): Promise<void>
  forget: OnChange
}

/** Called after a credential was created, changed or deleted, and that is committed. */
export type OnChange = (organizationId: string, credentialId: string) => void

/** Ends what a credential vouched for: sessions, refresh tokens and codes. */
export type EndCredential = (tx: Transaction, organizationId: string, credentialId: string) => Promise<unknown>

/** Takes the credential from the directory that names it, if one does. Called before the credential points elsewhere or is deleted. */
export type RemoveCredentialFromDirectory = (
  tx: Transaction,
  organizationId: string,
  credentialId: string,
  record: RecordChange,
) => Promise<void>

type Dependencies = { database: Pick<Database, 'read' | 'write'>; clock: Clock; keyring: Keyring }

export function createCredentials({ database, clock, keyring }: Dependencies): Credentials {
  const lists = createCache(clock, maxLists, async (organizationId: string) => {
    const choices = await listChoices(database.read, organizationId)
    return choices.length > 0 ? choices : undefined
  })
  const stored = createCache(clock, maxCredentials, (organizationId: string, credentialId: string) =>
    findById(database.read, organizationId, credentialId),
  )
  const list = async (organizationId: string) => (await lists.find(organizationId)) ?? []
  const forget: OnChange = (organizationId, credentialId) => {
    lists.forget(organizationId)
    stored.forget(organizationId, credentialId)
  }

  return {
    list,
    findNamed: async (organizationId, clientId) => {
      if (!isStorable(clientId)) return undefined
      const choices = await list(organizationId)
      const listed = choices.find(({ client_id }) => client_id === clientId)
      return listed ?? findChoice(database.read, organizationId, clientId)
    },
    find: async (organizationId, credentialId) => {
      const found = await stored.find(organizationId, credentialId)
      return found?.active ? toCredential(keyring, organizationId, found) : undefined
    },
    findToTest: async (organizationId, credentialId) => {
      const found = await stored.find(organizationId, credentialId)
      return found && toCredential(keyring, organizationId, found)
    },
    has: async (organizationId, credentialId) => (await stored.find(organizationId, credentialId))?.active ?? false,
    providerOf: async (organizationId, credentialId) => (await stored.find(organizationId, credentialId))?.provider,
    saveIssuer: async (organizationId, credential, issuer) => {
      await saveIssuer(database.write, organizationId, credential, issuer)
      forget(organizationId, credential.id)
    },
    forget,
  }
}

function toCredential(keyring: Keyring, organizationId: string, found: StoredCredential): Credential {
  const { id, version, provider, client_id, client_secret, options, issuer, trust_email_domains } = found
  const clientSecret = decryptSecret(keyring, organizationId, client_secret)
  const client = { clientId: client_id, clientSecret }
  return {
    id,
    version,
    provider,
    ...client,
    issuer: issuer ?? undefined,
    trustEmailDomains: trust_email_domains,
    ...usedOptions(provider, options),
  }
}
