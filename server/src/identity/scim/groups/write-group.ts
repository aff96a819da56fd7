import type { Transaction } from '../../../ground/database/database.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import {
  type DirectoryGroup,
  isDisplayNameTaken,
  lockDirectoryGroup,
  updateDirectoryGroup,
  type WrittenGroup,
} from '../../directories/index.ts'
import { noSuchResource, notUnique } from '../errors.ts'
import { withHeldDirectory } from '../held-directory.ts'
import { requireVersion } from '../http/entity-tag.ts'
import type { ScimCall } from '../http/scim-route.ts'
import type { Resource } from '../schema/attributes.ts'
import { untilCurrent } from '../until-current.ts'
import type { GroupDependencies } from './dependencies.ts'
import { exchange } from './exchange.ts'
import { groupIdIn, toWritten } from './group-answer.ts'
import { findGroup } from './group-store.ts'
import type { MemberChange } from './member-change.ts'
import { type Told, tell } from './tell.ts'

/** Of a request: 100,000 members as verbose as clients send them. */
export const maxGroupBytes = 16 * 1024 * 1024

type Written = { resource: Resource; members: MemberChange }

/** Changes a group as `write` says, and gives its version. What changes nothing leaves the version as it is, and is told nobody. */
export async function writeGroup(
  call: ScimCall,
  dependencies: GroupDependencies,
  write: (group: DirectoryGroup) => Written,
): Promise<number> {
  const { organizationId, directory } = call
  const { version } = await withGroup(call, dependencies, async (tx, group) => {
    const { resource, members } = write(group)
    const written = toWritten(resource)
    const exchanged = await exchange(tx, { organizationId, directoryId: directory.id, group }, members)
    const { membersCount, joined, left } = exchanged
    if (joined.length + left.length === 0 && isSame(group, written)) return { version: group.version }
    const now = toTimestamp(dependencies.clock.now())
    await updateDirectoryGroup(tx, organizationId, group.id, { ...written, membersCount, now })
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
  change: (tx: Transaction, group: DirectoryGroup) => Promise<Result>,
): Promise<Result> {
  const { organizationId, directory, ifMatch } = call
  const id = groupIdIn(call.params)
  const changeLocked = async (tx: Transaction, tied: boolean) => {
    await withHeldDirectory(tx, call)
    const group = await lockDirectoryGroup(tx, organizationId, directory.id, id)
    if (!group) throw noSuchResource()
    // It was tied since it was read.
    if (group.tied !== tied) return undefined
    requireVersion(ifMatch, group.version)
    return change(tx, group)
  }
  const changeRead = async (tx: Transaction) => {
    // The lock of what opens the console is the first of a transaction.
    const found = await findGroup(tx, organizationId, directory.id, { id, hasMembers: false })
    const tied = found?.tied ?? false
    const work = () => changeLocked(tx, tied)
    const changed = await (tied ? keepSomeOwner(tx, organizationId, work) : work())
    if (changed?.told) await tell(tx, call, publish, changed.told)
    return changed
  }
  return explained(untilCurrent(() => database.transaction(changeRead)))
}

/** In SCIM's words. */
export const explained = <Result>(written: Promise<Result>): Promise<Result> =>
  written.catch((error) => {
    throw isDisplayNameTaken(error) ? notUnique('displayName: another group of this directory has that name') : error
  })

const isSame = (group: DirectoryGroup, { displayName, externalId }: WrittenGroup) =>
  group.displayName === displayName && group.externalId === externalId

export const toAudited = ({ displayName, externalId }: Pick<WrittenGroup, 'displayName' | 'externalId'>) => ({
  display_name: displayName,
  external_id: externalId,
})
