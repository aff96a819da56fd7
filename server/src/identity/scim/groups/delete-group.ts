import type { Transaction } from '../../../ground/database/database.ts'
import { type KeptGroup, removeKeptGroup } from '../../directories/index.ts'
import type { RequireOwner } from '../../organizations/index.ts'
import { pageOfMembers, removeGroup } from '../../persons/groups/index.ts'
import type { ScimCall, ScimRoute } from '../http/scim-route.ts'
import type { GroupDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import { tell } from './tell.ts'
import { toAudited, withGroup } from './write-group.ts'

/** Of its members, in the audit log. */
const maxListed = 100

export const deleteGroup = (dependencies: GroupDependencies): ScimRoute => ({
  method: 'DELETE',
  path: '/Groups/:id',
  id: 'deleteScimGroup',
  handle: async (call) => {
    await withGroup(call, dependencies, (tx, group, requireOwner) =>
      group.tied ? leave(tx, call, dependencies, { group, requireOwner }) : remove(tx, call, group),
    )
    return { status: 204 }
  },
})

/** With its memberships; no event tells of each. */
async function remove(tx: Transaction, { organizationId, record }: ScimCall, group: KeptGroup) {
  const { name } = group
  const [members] = await Promise.all([
    pageOfMembers(tx, organizationId, name, { limit: maxListed, offset: 0 }),
    removeGroup(tx, organizationId, name),
  ])
  const before = { name, ...toAudited(group), members_count: members?.totalCount, persons: members?.items }
  await tx.last(() => record(tx, organizationId, { target: { type: 'group', id: name }, before }))
}

/** A group that was there before stays, without those who were in it, and is the interface's again. */
async function leave(
  tx: Transaction,
  call: ScimCall,
  { publish }: GroupDependencies,
  { group, requireOwner }: { group: KeptGroup; requireOwner: RequireOwner },
) {
  const { organizationId, directory } = call
  const place = { organizationId, directoryId: directory.id, group }
  const exchanged = await exchange(tx, place, { isWhole: true, joining: new Set(), leaving: new Set() })
  await requireOwner()
  await removeKeptGroup(tx, organizationId, group.id)
  await tell(tx, call, publish, { name: group.name, exchanged, before: toAudited(group) })
}
