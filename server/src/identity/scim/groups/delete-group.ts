import type { Transaction } from '../../../ground/database/database.ts'
import { type DirectoryGroup, removeDirectoryGroup } from '../../directories/index.ts'
import { pageOfMembers, removeGroup } from '../../persons/groups/index.ts'
import type { ScimCall, ScimRoute } from '../http/scim-route.ts'
import type { GroupDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import type { Told } from './tell.ts'
import { toAudited, withGroup } from './write-group.ts'

/** Of its members, in the audit log. */
const maxListed = 100

export const deleteGroup = (dependencies: GroupDependencies): ScimRoute => ({
  method: 'DELETE',
  path: '/Groups/:id',
  id: 'deleteScimGroup',
  handle: async (call) => {
    await withGroup(call, dependencies, async (tx, group) => ({
      told: await (group.tied ? leave(tx, call, group) : remove(tx, call, group)),
    }))
    return { status: 204 }
  },
})

/** With its memberships; no event tells of each. */
async function remove(tx: Transaction, { organizationId }: ScimCall, group: DirectoryGroup): Promise<Told> {
  const { name } = group
  const [members] = await Promise.all([
    pageOfMembers(tx, organizationId, name, { limit: maxListed, offset: 0 }),
    removeGroup(tx, organizationId, name),
  ])
  const before = { name, ...toAudited(group), members_count: members?.totalCount, persons: members?.items }
  return { name, exchanged: { joined: [], left: [] }, before }
}

/** A group that was there before stays, without those who were in it, and is the interface's again. */
async function leave(tx: Transaction, { organizationId, directory }: ScimCall, group: DirectoryGroup): Promise<Told> {
  const nobody = { isWhole: true, joining: new Set<string>(), leaving: new Set<string>() }
  const exchanged = await exchange(tx, { organizationId, directoryId: directory.id, group }, nobody)
  await removeDirectoryGroup(tx, organizationId, group.id)
  return { name: group.name, exchanged, before: toAudited(group) }
}
