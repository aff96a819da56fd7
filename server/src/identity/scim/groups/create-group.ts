import type { Transaction } from '../../../ground/database/database.ts'
import { withinLimit } from '../../../ground/limits/index.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { insertDirectoryGroup } from '../../directories/index.ts'
import { operatorsIn } from '../../organizations/index.ts'
import { countGroups, insertGroupIfFree } from '../../persons/groups/index.ts'
import { withHeldDirectory } from '../held-directory.ts'
import type { ScimCall, ScimRoute } from '../http/scim-route.ts'
import { groupSchema } from '../schema/group-schema.ts'
import { readResource } from '../schema/read-resource.ts'
import type { GroupDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import { replyWith, toWritten } from './group-answer.ts'
import { namesFor } from './made-name.ts'
import { allMembers } from './member-change.ts'
import { tell } from './tell.ts'
import { explained, maxGroupBytes, toAudited } from './write-group.ts'

export const createGroup = (dependencies: GroupDependencies): ScimRoute => ({
  method: 'POST',
  path: '/Groups',
  id: 'createScimGroup',
  maxBodyBytes: maxGroupBytes,
  handle: async (call) => {
    const { database, clock, publish, operatorGroup } = dependencies
    const { organizationId } = call
    const resource = readResource(groupSchema, call.body)
    const [written, members] = [toWritten(resource), allMembers(resource)]
    const now = clock.now()
    const [id, createdAt] = [makeId(now), toTimestamp(now)]
    const operators = operatorsIn(operatorGroup, organizationId)
    const create = async (tx: Transaction) => {
      const { directory } = await withHeldDirectory(tx, call)
      const { displayName } = written
      const displayed = { displayName, prefix: directory.group_prefix, directoryId: directory.id, id }
      const names = namesFor(displayed).filter((name) => name !== operators)
      const name = await insertFree(tx, call, names, createdAt)
      const membersCount = members.joining.size
      await insertDirectoryGroup(tx, organizationId, {
        id,
        directoryId: directory.id,
        name,
        createdAt,
        membersCount,
        ...written,
      })
      const place = { organizationId, directoryId: directory.id, group: { name, membersCount: 0 } }
      const exchanged = await exchange(tx, place, members)
      await tell(tx, call, publish, { name, exchanged, after: { name, ...toAudited(written) } })
    }
    await explained(database.transaction(create))
    const reply = await replyWith(call, database, { id, status: 201 })
    return { ...reply, location: `${call.scimUrl}/Groups/${id}` }
  },
})

/** Makes a group of the first of these names that is free: one that is there gains nobody. Gives the name. */
async function insertFree(tx: Transaction, call: ScimCall, names: string[], createdAt: string): Promise<string> {
  const { organizationId, limits } = call
  for (const name of names) {
    if (!(await insertGroupIfFree(tx, organizationId, { name, description: '', createdAt }))) continue
    const count = () => countGroups(tx, organizationId)
    // Counted after the insert, as where the interface makes one.
    await withinLimit(tx, organizationId, { limit: limits.max_groups, adding: 0, count, what: 'groups' })
    return name
  }
  throw new Error('a name with a hash of new ids is taken')
}
