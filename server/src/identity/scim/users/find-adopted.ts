import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { type Directory, directoryNameOf } from '../../directories/index.ts'
import { type OperatorGroup, operatorsIn } from '../../organizations/index.ts'
import { findPersonVouchedFor, guardedGroupOf, guardedIn, hasIdentityElsewhere } from '../../persons/index.ts'
import { notUnique } from '../errors.ts'
import { type Accounts, findPersonOfAccount } from './accounts.ts'
import type { PushedUser } from './read-user.ts'

export type Sought = {
  directory: Directory
  accounts: Accounts | undefined
  user: PushedUser
  operatorGroup: OperatorGroup | undefined
}

type Found = { personId: string; by: 'externalId' | 'address' }

/**
 * The person whom a user is to become: whoever signs in with the account that `externalId` names; else, where the directory may adopt,
 * whoever an admin key vouched for by an address in a domain of the directory.
 */
export async function findThere(queries: Queries, organizationId: string, sought: Sought): Promise<Found | undefined> {
  const { directory, user } = sought
  const known = await findPersonOfAccount(queries, organizationId, sought)
  if (known) return { personId: known.personId, by: 'externalId' }
  const vouched = directory.adopt ? user.handles.filter(({ isVouched }) => isVouched) : []
  if (vouched.length === 0) return undefined
  const owner = await findPersonVouchedFor(queries, organizationId, vouched)
  return owner && { personId: owner.person_id, by: 'address' }
}

/**
 * Only those who are in no directory, enter no console, and have no identity but at the credential of the directory. The person must be
 * locked, and the groups that open the console held. Throws a 409 where the account that `externalId` names is of another.
 */
export async function mayBeAdopted(
  tx: Transaction,
  organizationId: string,
  { personId, by }: Found,
  { accounts, operatorGroup }: Sought,
): Promise<boolean> {
  const guarded = guardedIn(organizationId, operatorsIn(operatorGroup, organizationId))
  const [keptBy, guardedGroup, signsInElsewhere] = await Promise.all([
    directoryNameOf(tx, organizationId, personId),
    guardedGroupOf(tx, guarded, personId),
    hasIdentityElsewhere(tx, organizationId, personId, accounts?.issuer),
  ])
  const mayBe = keptBy === undefined && guardedGroup === undefined && !signsInElsewhere
  if (!mayBe && by === 'externalId') throw notUnique(ofSomebodyElse)
  return mayBe
}

const ofSomebodyElse =
  'externalId: is the account of somebody who signs in already, and who is kept by a directory, may enter the console, or signs in ' +
  'elsewhere as well'
