import type { Queries, Transaction } from '../../../ground/database/database.ts'
import type { Directory } from '../../directories/index.ts'
import { findPersonOf } from '../../persons/index.ts'
import { notUnique } from '../errors.ts'
import type { ScimCall } from '../http/scim-route.ts'
import type { PushedUser } from './read-user.ts'

/** The accounts at a credential, by the ids that the directory behind it has for them. */
export type Accounts = { provider: string; issuer: string; subjectOf(id: string): string }
/** Undefined where the provider of the credential is not the customer's own. */
export type AccountsOf = (organizationId: string, credentialId: string) => Promise<Accounts | undefined>

/** Before the transaction: the credential may have to be read. */
export const accountsAt = (
  { organizationId, directory }: ScimCall,
  { accountsOf }: { accountsOf: AccountsOf },
): Promise<Accounts | undefined> | undefined =>
  directory.credential_id === null ? undefined : accountsOf(organizationId, directory.credential_id)

/** Those that were found for a call, unless its directory, which is held now, has another credential since. */
export const accountsStill = (asked: ScimCall, held: ScimCall, accounts: Accounts | undefined) =>
  held.directory.credential_id === asked.directory.credential_id ? accounts : undefined

type Named = { directory: Directory; accounts: Accounts | undefined; user: PushedUser }

/** Whoever signs in with the account that `externalId` names. */
export async function findPersonOfAccount(
  queries: Queries,
  organizationId: string,
  { directory, accounts, user: { externalId } }: Named,
) {
  if (!accounts || externalId === null || directory.match !== 'external_id') return undefined
  const { provider, issuer } = accounts
  return findPersonOf(queries, organizationId, { provider, issuer, subject: accounts.subjectOf(externalId) })
}

/**
 * Throws a 409 where the account that a user is given is another person's: that one would go on signing in when the directory switches its
 * user off. The external id must be locked.
 */
export async function refuseAccountOfAnother(
  tx: Transaction,
  organizationId: string,
  { personId, ...named }: Named & { personId: string },
) {
  const known = await findPersonOfAccount(tx, organizationId, named)
  if (known && known.personId !== personId) throw notUnique(ofAnotherPerson)
}

const ofAnotherPerson =
  'externalId: is the account of another person, who signs in already; only a user who is created with it becomes that person'
