import type { Transaction } from '../../../ground/database/database.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import {
  isDisplayNameTaken,
  type KeptGroup,
  lockKeptGroup,
  updateKeptGroup,
  type WrittenGroup,
} from '../../directories/index.ts'
import { noSuchResource, notUnique } from '../errors.ts'
import { requireVersion } from '../http/entity-tag.ts'
import type { ScimCall } from '../http/scim-route.ts'
import type { Resource } from '../schema/attributes.ts'
import { withHeldDirectory } from '../users/hold-directory.ts'
import type { GroupDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import { groupIdIn, toWritten } from './group-answer.ts'
import { findGroup } from './group-store.ts'
import type { MemberChange } from './member-change.ts'
import { type Told, tell } from './tell.ts'

type Written = { resource: Resource; members: MemberChange }

/** Changes a group as `write` says, and gives its version. What changes nothing leaves the version as it is, and is told nobody. */
export async function writeGroup(
  call: ScimCall,
  dependencies: GroupDependencies,
  write: (group: KeptGroup) => Written,
): Promise<number> {
  const { organizationId, directory } = call
  const { version } = await withGroup(call, dependencies, async (tx, group) => {
    const { resource, members } = write(group)
    const written = toWritten(resource)
    const exchanged = await exchange(tx, { organizationId, directoryId: directory.id, group }, members)
    const { membersCount, joined, left } = exchanged
    if (joined.length + left.length === 0 && isSame(group, written)) return { version: group.version }
    const now = toTimestamp(dependencies.clock.now())
    await updateKeptGroup(tx, organizationId, group.id, { ...written, membersCount, now })
    const told = { name: group.name, exchanged, before: toAudited(group), after: toAudited(written) }
    return { version: group.version + 1, told }
  })
  return version
}

/**
 * Runs a change of a group whose version the client knows, if it names one, and then tells of it. The group is locked first, then persons,
 * so that changes of one group follow each other. Of a group that an admin key has tied, which may be one of owners, the last owner is not
 * taken away.
 */
export function withGroup<Result extends { told?: Told }>(
  call: ScimCall,
  { database, publish, keepSomeOwner }: GroupDependencies,
  change: (tx: Transaction, group: KeptGroup) => Promise<Result>,
): Promise<Result> {
  const { organizationId, directory, ifMatch } = call
  const id = groupIdIn(call.params)
  const changeLocked = async (tx: Transaction) => {
    await withHeldDirectory(tx, call)
    const group = await lockKeptGroup(tx, organizationId, directory.id, id)
    if (!group) throw noSuchResource()
    requireVersion(ifMatch, group.version)
    return change(tx, group)
  }
  return explained(
    database.transaction(async (tx) => {
      // The lock of what opens the console is the first of a transaction.
      const found = await findGroup(tx, organizationId, directory.id, { id, hasMembers: false })
      const work = () => changeLocked(tx)
      const changed = await (found?.tied ? keepSomeOwner(tx, organizationId, work) : work())
      if (changed.told) await tell(tx, call, publish, changed.told)
      return changed
    }),
  )
}

/** In SCIM's words. */
export const explained = <Result>(written: Promise<Result>): Promise<Result> =>
  written.catch((error) => {
    throw isDisplayNameTaken(error) ? notUnique('displayName: another group of this directory has that name') : error
  })

const isSame = (group: KeptGroup, { displayName, externalId }: WrittenGroup) =>
  group.displayName === displayName && group.externalId === externalId

export const toAudited = ({ displayName, externalId }: Pick<WrittenGroup, 'displayName' | 'externalId'>) => ({
  display_name: displayName,
  external_id: externalId,
})
