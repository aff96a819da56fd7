import type { Database } from '../database/database.ts'
import { isStorable } from '../http/validation.ts'
import type { Keyring } from '../keys/index.ts'
import { createLookUps } from '../runtime/cache.ts'
import type { Clock } from '../runtime/clock.ts'
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

/** Credentials that are kept, up to 15 kB each with all the options there may be, and lists to choose from. */
const maxKept = 1_000
const maxKeptLists = 1_000

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

/** The credentials as sign-ins need them, kept as look-ups are, with their secrets sealed. */
export type Credentials = {
  /** The oldest first, as many as anybody reads on a page; one beyond is reached by its client id. */
  list(organizationId: string): Promise<Choice[]>
  /** The one that an application names by its client id; it may be any text. */
  findNamed(organizationId: string, clientId: string): Promise<Choice | undefined>
  /** Throws when no master key opens the secret. */
  find(organizationId: string, credentialId: string): Promise<Credential | undefined>
  has(organizationId: string, credentialId: string): Promise<boolean>
  saveIssuer(organizationId: string, credential: Pick<Credential, 'id' | 'version'>, issuer: string): Promise<void>
  forget: OnChange
}

/** Told of each credential that was made, changed or deleted, once that is committed. */
export type OnChange = (organizationId: string, credentialId: string) => void

type Dependencies = { database: Pick<Database, 'read' | 'write'>; clock: Clock; keyring: Keyring }

export function createCredentials({ database, clock, keyring }: Dependencies): Credentials {
  const lists = createLookUps(clock, maxKeptLists, async (organizationId: string) => {
    const choices = await listChoices(database.read, organizationId)
    return choices.length > 0 ? choices : undefined
  })
  const stored = createLookUps(clock, maxKept, (organizationId: string, credentialId: string) =>
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
      return found && open(keyring, organizationId, found)
    },
    has: async (organizationId, credentialId) => (await stored.find(organizationId, credentialId)) !== undefined,
    saveIssuer: async (organizationId, credential, issuer) => {
      await saveIssuer(database.write, organizationId, credential, issuer)
      forget(organizationId, credential.id)
    },
    forget,
  }
}

function open(keyring: Keyring, organizationId: string, found: StoredCredential): Credential {
  const { id, version, provider, client_id, client_secret, options, issuer } = found
  const clientSecret = decryptSecret(keyring, organizationId, client_secret)
  const client = { clientId: client_id, clientSecret }
  return { id, version, provider, ...client, issuer: issuer ?? undefined, ...usedOptions(provider, options) }
}
