import type { Transaction } from '../../ground/database/database.ts'
import type { Fragment } from '../../ground/database/sql.ts'
import { forbidden, sessionEnded, signInNotRecent } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { holdConsoleAccess } from '../organizations/index.ts'
import { guardedAmong, guardedGroupOf, guardedIn, guardedThatChange, isOwner } from './guarded-store.ts'
import { lockPerson } from './person-store.ts'

/**
 * `groups`: they change, or who is in them does. `personId`: the person changes otherwise than by groups. `groupsOf`: these are to be all
 * groups of the person.
 */
export type Touched = { groups: string[] } | { personId: string } | { groupsOf: { personId: string; names: string[] } }

/**
 * A group that `console_access` names is guarded, and so is the operator's: only admin keys and owners change it and its members, for
 * whoever is in it enters the console. Throws a 403 for all others. It comes first in the transaction of the change, and holds what it has
 * read until the end: a group that becomes guarded, or a person who enters one, at the same time does so before this or after it. Owners
 * and keys in the console need a recent sign-in, as for an invitation, which comes to the same.
 */
export async function requireUnguarded(
  tx: Transaction,
  organizationId: string,
  principal: Pick<Principal, 'isAdmin' | 'isSignInRecent' | 'guardedGroup'> | undefined,
  touched: Touched,
) {
  const guarded = guardedIn(organizationId, principal?.guardedGroup)
  if (principal?.isAdmin) {
    if (principal.isSignInRecent !== false) return
    if ((await findGuarded(tx, guarded, touched)).length > 0) throw signInNotRecent()
    return
  }
  await holdConsoleAccess(tx, organizationId)
  // Sent together: the lock comes first, so that the groups are read as they stay.
  const [, groups] = await Promise.all([lockTouched(tx, organizationId, touched), findGuarded(tx, guarded, touched)])
  if (groups.length > 0) throw forbidden('guarded_group', ...groups.map('personId' in touched ? ofPerson : ofGroup))
}

/**
 * For what brings somebody into a group: an owner who was put out while the call waited brings nobody in any more. What takes somebody out
 * asks the same in `KeepOwner`.
 */
export async function requireStillOwner(tx: Transaction, organizationId: string, principal: Principal | undefined) {
  if (principal?.type !== 'person' || !principal.isAdmin) return
  await holdConsoleAccess(tx, organizationId)
  if (!(await isOwner(tx, organizationId, principal.id))) throw sessionEnded()
}

async function lockTouched(tx: Transaction, organizationId: string, touched: Touched) {
  if ('personId' in touched) await lockPerson(tx, organizationId, touched.personId)
  if ('groupsOf' in touched) await lockPerson(tx, organizationId, touched.groupsOf.personId)
}

/** The guarded groups that are touched. */
async function findGuarded(tx: Transaction, guarded: Fragment, touched: Touched): Promise<string[]> {
  if ('groups' in touched) return guardedAmong(tx, guarded, touched.groups)
  if ('groupsOf' in touched) return guardedThatChange(tx, guarded, touched.groupsOf.personId, touched.groupsOf.names)
  const group = await guardedGroupOf(tx, guarded, touched.personId)
  return group === undefined ? [] : [group]
}

const ofGroup = (name: string) =>
  `group: ${name} opens the console, so only admin keys and owners change it and its members`
const ofPerson = (group: string) =>
  `person: is in ${group}, which opens the console, so only admin keys and owners change the person`
