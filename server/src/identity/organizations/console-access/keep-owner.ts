import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { conflict, sessionEnded } from '../../../ground/errors.ts'
import type { Principal } from '../../../ground/http/chain/operation.ts'
import type { IsOwner } from '../require-still.ts'
import { lockConsoleAccess } from './console-access-store.ts'

/** Whether somebody in a group of owners is active and can sign in. */
export type HasOwner = (queries: Queries, organizationId: string) => Promise<boolean>

/**
 * Runs a change that may take an owner away. Where a person makes it, it is refused with a 409 if no owner is left who can sign in: of two
 * who take each other away at once, the second waits for the first. One who was put out by the first changes nothing (401). A key may do it, for with it the organization gets an owner again.
 */
export type KeepOwner = <Result>(
  tx: Transaction,
  organizationId: string,
  principal: Principal | undefined,
  change: () => Promise<Result>,
) => Promise<Result>

export const createKeepOwner =
  (hasOwner: HasOwner, isOwner: IsOwner): KeepOwner =>
  async (tx, organizationId, principal, change) => {
    // Others change nothing by which somebody is an owner.
    if (principal?.type !== 'person' || !principal.isAdmin) return change()
    await lockConsoleAccess(tx, organizationId)
    const [hadOne, isStill] = await Promise.all([
      hasOwner(tx, organizationId),
      isOwner(tx, organizationId, principal.id),
    ])
    const result = await change()
    if (hadOne && !(await hasOwner(tx, organizationId))) throw noOwnerLeft()
    if (!isStill) throw sessionEnded()
    return result
  }

/** The same for a change that a directory makes. */
export type KeepSomeOwner = <Result>(
  tx: Transaction,
  organizationId: string,
  change: () => Promise<Result>,
) => Promise<Result>

export const createKeepSomeOwner =
  (hasOwner: HasOwner): KeepSomeOwner =>
  async (tx, organizationId, change) => {
    await lockConsoleAccess(tx, organizationId)
    const hadOne = await hasOwner(tx, organizationId)
    const result = await change()
    if (hadOne && !(await hasOwner(tx, organizationId))) throw noOwnerLeft()
    return result
  }

const noOwnerLeft = () =>
  conflict(
    'last_owner',
    'owners: no owner who is active and can sign in would be left; make somebody else an owner first, or use an admin key',
  )
