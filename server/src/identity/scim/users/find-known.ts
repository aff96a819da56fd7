import type { Queries } from '../../../ground/database/database.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { type DirectoryUser, findUser } from '../../directories/index.ts'
import { noSuchResource } from '../errors.ts'
import type { ScimCall } from '../http/scim-route.ts'

/** The user of the path. Throws a 404, also for the person of another directory. */
export async function findKnown(
  queries: Queries,
  { organizationId, directory, params: { id = '' } }: ScimCall,
  hasGroups: boolean,
): Promise<DirectoryUser> {
  const user = isUuid(id)
    ? await findUser(queries, organizationId, directory.id, id.toLowerCase(), hasGroups)
    : undefined
  if (!user) throw noSuchResource()
  return user
}
