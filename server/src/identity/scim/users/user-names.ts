import type { Transaction } from '../../../ground/database/database.ts'
import { lockUserNames, takenNames, userNamesToLock } from '../../directories/index.ts'
import { notUnique } from '../errors.ts'
import type { ScimCall } from '../http/scim-route.ts'
import type { PushedUser } from './read-user.ts'

/** What nobody else may give to a user or to a person meanwhile: the user name, the external id and the addresses. */
export const namesOf = (directoryId: string, user: PushedUser) => [
  ...userNamesToLock(directoryId, user),
  ...user.handles.map(({ type, key }) => `${type} ${key}`),
]

type Taking = { personId: string; user: PushedUser; names: string[] }

/** Locks names that the user is given or loses. Throws a 409 where another user has one. */
export async function takeNames(
  tx: Transaction,
  { organizationId, directory }: ScimCall,
  { personId, user, names }: Taking,
) {
  // Sent together: what is read is read under the locks.
  const [, taken] = await Promise.all([
    lockUserNames(tx, organizationId, names),
    takenNames(tx, organizationId, directory.id, { personId, ...user }),
  ])
  if (taken.length > 0)
    throw notUnique(taken.map((name) => `${name}: is that of another user of this directory`).join('; '))
}
