import type { Transaction } from '../../ground/database/database.ts'
import type { Fragment } from '../../ground/database/sql.ts'
import { forbidden, sessionEnded } from '../../ground/errors.ts'
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
 * read until the end: a group that becomes guarded, or a person who enters one, at the same time does so before this or after it.
 */
export async function requireUnguarded(
  tx: Transaction,
  organizationId: string,
  principal: Pick<Principal, 'isAdmin' | 'guardedGroup'> | undefined,
  touched: Touched,
) {
  if (principal?.isAdmin) return
  await holdConsoleAccess(tx, organizationId)
  const guarded = guardedIn(organizationId, principal?.guardedGroup)
  const problems = await findProblems(tx, guarded, organizationId, touched)
  if (problems.length > 0) throw forbidden(...problems)
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

async function findProblems(tx: Transaction, guarded: Fragment, organizationId: string, touched: Touched) {
  if ('groups' in touched) return (await guardedAmong(tx, guarded, touched.groups)).map(ofGroup)
  const personId = 'personId' in touched ? touched.personId : touched.groupsOf.personId
  // Sent together: the lock comes first, so that the groups are read as they stay.
  if ('groupsOf' in touched) {
    const [, changing] = await Promise.all([
      lockPerson(tx, organizationId, personId),
      guardedThatChange(tx, guarded, personId, touched.groupsOf.names),
    ])
    return changing.map(ofGroup)
  }
  const [, group] = await Promise.all([lockPerson(tx, organizationId, personId), guardedGroupOf(tx, guarded, personId)])
  return group === undefined ? [] : [ofPerson(group)]
}

const ofGroup = (name: string) =>
  `group: ${name} opens the console, so only admin keys and owners change it and its members`
const ofPerson = (group: string) =>
  `person: is in ${group}, which opens the console, so only admin keys and owners change the person`
