import type { Transaction } from '../../ground/database/database.ts'
import { keyNotValid, sessionEnded } from '../../ground/errors.ts'
import type { Principal } from '../../ground/http/chain/operation.ts'
import { findKey } from './api-key-store.ts'

/** Whether the person still is an owner. */
export type IsOwner = (tx: Transaction, organizationId: string, personId: string) => Promise<boolean>

/**
 * What ended while the call waited for a lock must not live on in another key, or in an invitation: throws a 401 where the key was revoked,
 * or the person is an owner no more.
 */
export async function requireStill(
  tx: Transaction,
  organizationId: string,
  principal: Principal | undefined,
  isOwner: IsOwner,
) {
  if (principal?.type === 'person') {
    if (!(await isOwner(tx, organizationId, principal.id))) throw sessionEnded()
  } else if (!principal || !(await findKey(tx, organizationId, principal.id))) throw keyNotValid()
}
