import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isStorable } from '../http/validation.ts'
import type { Vault } from '../keys/index.ts'
import { createLookUps } from '../look-ups.ts'
import { findByClientId, findById, keepIssuer, listCredentials, type StoredCredential } from './credential-store.ts'
import { type Provider, type UsedOptions, usedOptions } from './provider-options.ts'
import { openSecret } from './sealed-secret.ts'

/** Organizations whose credentials are kept. */
const maxKept = 500
/** More than anybody reads on a page. One beyond is not kept, and is reached by its client id. */
const maxChoices = 100

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

/** What a person may choose from. */
export type Choice = Pick<StoredCredential, 'id' | 'client_id' | 'provider' | 'label'> & {
  /** Throws when no master key opens the secret. */
  open(): Credential
}

/** The credentials as sign-ins need them, kept as look-ups are: a sign-in asks for them twice. */
export type Credentials = {
  /** The oldest first. */
  list(organizationId: string): Promise<Choice[]>
  find(organizationId: string, credentialId: string): Promise<Choice | undefined>
  /** The one that an application names by its client id; it may be any text. */
  findNamed(organizationId: string, clientId: string): Promise<Choice | undefined>
  keepIssuer(organizationId: string, credential: Pick<Credential, 'id' | 'version'>, issuer: string): Promise<void>
  /** One was made, changed or deleted. */
  forget(organizationId: string): void
}

type Dependencies = { database: Database; clock: Clock; vault: Vault }

export function createCredentials({ database, clock, vault }: Dependencies): Credentials {
  const lookUps = createLookUps<Choice[]>(clock, maxKept, async (organizationId) => {
    const page = { limit: maxChoices, offset: 0 }
    const stored = await listCredentials(database.read, organizationId, undefined, page)
    return stored.map((credential) => toChoice(vault, organizationId, credential))
  })
  const list = async (organizationId: string) => (await lookUps.find(organizationId)) ?? []
  const findOne = async (
    organizationId: string,
    isMeant: (choice: Choice) => boolean,
    findBeyond: () => Promise<StoredCredential | undefined>,
  ): Promise<Choice | undefined> => {
    const choices = await list(organizationId)
    const found = choices.find(isMeant)
    if (found || choices.length < maxChoices) return found
    const beyond = await findBeyond()
    return beyond && toChoice(vault, organizationId, beyond)
  }

  return {
    list,
    find: (organizationId, credentialId) =>
      findOne(
        organizationId,
        ({ id }) => id === credentialId,
        () => findById(database.read, organizationId, credentialId),
      ),
    findNamed: (organizationId, clientId) =>
      findOne(
        organizationId,
        ({ client_id }) => client_id === clientId,
        async () => (isStorable(clientId) ? findByClientId(database.read, organizationId, clientId) : undefined),
      ),
    keepIssuer: async (organizationId, credential, issuer) => {
      await keepIssuer(database.write, organizationId, credential, issuer)
      lookUps.forget(organizationId)
    },
    forget: lookUps.forget,
  }
}

/** Its secret is opened once, when it is used. */
function toChoice(vault: Vault, organizationId: string, stored: StoredCredential): Choice {
  const { id, client_id, provider, label } = stored
  let opened: Credential | undefined
  return {
    ...{ id, client_id, provider, label },
    open: () => {
      opened ??= openCredential(vault, organizationId, stored)
      return opened
    },
  }
}

function openCredential(vault: Vault, organizationId: string, stored: StoredCredential): Credential {
  const { id, version, provider, client_id, client_secret, options, issuer } = stored
  const clientSecret = openSecret(vault, organizationId, client_secret)
  const client = { clientId: client_id, clientSecret }
  return { id, version, provider, ...client, issuer: issuer ?? undefined, ...usedOptions(provider, options) }
}
