import type { Transaction } from '../../ground/database/database.ts'
import { holdDirectory } from '../directories/index.ts'
import { ScimError } from './errors.ts'
import type { ScimCall } from './http/scim-route.ts'

/** The call with its directory as that stays until the transaction ends. Throws a 401 where it was deleted or stopped meanwhile. */
export async function withHeldDirectory(tx: Transaction, call: ScimCall): Promise<ScimCall> {
  const directory = await holdDirectory(tx, call.organizationId, call.directory.id)
  if (!directory)
    throw new ScimError(401, 'Authorization: is not valid any more', undefined, { 'www-authenticate': 'Bearer' })
  return { ...call, directory }
}
