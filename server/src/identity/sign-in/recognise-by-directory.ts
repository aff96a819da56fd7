import type { Queries } from '../../ground/database/database.ts'
import { fragment } from '../../ground/database/sql.ts'
import type { Credential } from '../credentials/index.ts'
import { directoryAt, groupsKeptBy, userWithExternalId } from '../directories/index.ts'
import { guardedGroupOf, guardedIn, type IdentityKey, mayBePushed } from '../persons/index.ts'
import type { Providers } from '../providers/index.ts'
import { SignInFailure } from './end-sign-in.ts'

/** How a directory calls an account at its own credential, by which it may have made a person already. */
export type DirectoryAccount = { directoryId: string; externalId: string }

type Account = { credential: Credential; key: IdentityKey; providers: Pick<Providers, 'accountsAt'> }

/** Undefined where the credential is of no directory that knows its users by their accounts. */
export async function findDirectoryAccount(
  queries: Queries,
  organizationId: string,
  { credential, key, providers }: Account,
): Promise<DirectoryAccount | undefined> {
  const directoryId = await directoryAt(queries, organizationId, credential.id)
  const accounts = directoryId && (await providers.accountsAt(credential))
  if (!accounts || accounts.issuer !== key.issuer) return undefined
  const externalId = accounts.idOf(key.subject)
  return externalId === undefined ? undefined : { directoryId, externalId }
}

type Signing = { key: IdentityKey; account: DirectoryAccount | undefined; guardedGroup: string | undefined }

/**
 * The person whom a directory made for this account, who has not signed in with it before. Nobody enters the console by what a directory
 * says, save through a group that an owner has tied to it: of somebody in another group that opens the console throws a `SignInFailure`, for
 * a second person would be worse.
 */
export async function findPushedPerson(
  queries: Queries,
  organizationId: string,
  { key, account, guardedGroup }: Signing,
) {
  const user = account && (await userWithExternalId(queries, organizationId, account.directoryId, account.externalId))
  if (!user || !(await mayBePushed(queries, organizationId, user.personId, key))) return undefined
  const guarded = guardedIn(organizationId, guardedGroup)
  const kept = groupsKeptBy(organizationId, account.directoryId)
  const group = await guardedGroupOf(queries, fragment`(${guarded}) except ${kept}`, user.personId)
  if (group !== undefined)
    throw new SignInFailure(
      'registration_not_allowed',
      `person: is in ${group}, which opens the console, so an admin key or an owner adds the account to the person`,
    )
  return user
}
