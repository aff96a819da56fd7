import { type Publish, publishMany } from '../../../delivery/events/index.ts'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { badRequest, conflict } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named } from '../../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import {
  againstJoining,
  exchangeMembers,
  groupEvents,
  lockGroup,
  maxGroupsOfPerson,
  removeGroup,
} from '../../persons/groups/index.ts'
import { requireStillOwner } from '../../persons/index.ts'
import { directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { findDirectory } from '../directory-store.ts'
import { GroupPath, GroupRecord, group_name, noSuchGroup, toGroupRecord } from './group-record.ts'
import { type DirectoryGroup, findKept, lockDirectoryGroup, tieGroup } from './group-store.ts'
import { lockMembers, membersBeside } from './member-store.ts'

const TiedGroup = named('TiedDirectoryGroup', closed({ group_name }))

type Dependencies = { database: Database; clock: Clock; publish: Publish }

export const tieDirectoryGroup = ({ database, clock, publish }: Dependencies) =>
  operation({
    id: 'tieDirectoryGroup',
    method: 'PATCH',
    path: '/organizations/directories/:id/groups/:scim_id',
    scope: ['directories:write', 'groups:write'],
    adminOnly: true,
    recentSignIn: true,
    tag: 'Directories',
    summary: 'Tie a group of a directory to a group that is there',
    description:
      'From then on the directory alone writes who is in that group. Whoever is in the group that the directory had made is in this one, ' +
      'beside those who are in it already, and PersonGroupsChanged_v1 is published for each; the group that it had made is deleted. One ' +
      'that a directory keeps already: 409. It may be one that opens the console.',
    params: GroupPath,
    body: TiedGroup,
    result: GroupRecord,
    refusals: [409],
    handle: async ({ organizationId, principal, caller, record, params: { scim_id, ...params }, body }) => {
      const directoryId = directoryIdIn(params)
      const name = body.group_name
      const tie = async (tx: Transaction) => {
        await requireStillOwner(tx, organizationId, principal)
        const before = await lockGroupOfPath(tx, organizationId, directoryId, scim_id)
        if (before.name === name) return toGroupRecord(before)
        await lockTarget(tx, organizationId, name)
        const moved = await moveMembers(tx, organizationId, before, name)
        const after = await tieGroup(tx, organizationId, before.id, name, toTimestamp(clock.now()))
        if (!before.tied) await removeGroup(tx, organizationId, before.name)
        const sides = { before: toGroupRecord(before), after: toGroupRecord(after) }
        await publishMany(publish, tx, organizationId, {
          changes: moved,
          eventsOf: ({ person, ...groups }) => groupEvents(caller, person, groups),
          record: () => record(tx, organizationId, { target: { type: 'group', id: name }, ...sides }),
        })
        return sides.after
      }
      return database.transaction(tie)
    },
  })

async function lockGroupOfPath(tx: Transaction, organizationId: string, directoryId: string, id: string) {
  if (!(await findDirectory(tx, organizationId, directoryId))) throw noSuchDirectory()
  const group = isUuid(id) ? await lockDirectoryGroup(tx, organizationId, directoryId, id) : undefined
  if (!group) throw noSuchGroup()
  return group
}

/** Nobody joins it before the end of the transaction, and it is no other directory's. */
async function lockTarget(tx: Transaction, organizationId: string, name: string) {
  if (!(await lockGroup(tx, organizationId, name, againstJoining)))
    throw badRequest('unknown_reference', `group_name: ${name} does not exist`)
  const [kept] = await findKept(tx, organizationId, [name])
  if (kept)
    throw conflict('group_kept_by_directory', `group_name: ${name} is kept by the directory ${kept.directory} already`)
}

/** Brings those in who are in the group that the directory has. Gives them with what changes of their groups. */
async function moveMembers(
  tx: Transaction,
  organizationId: string,
  { name: from, tied }: DirectoryGroup,
  name: string,
) {
  // Of both: somebody may be taken out of the other one, which no directory keeps yet.
  const locked = await lockMembers(tx, organizationId, [from, name])
  const members = new Map((await membersBeside(tx, organizationId, from, name)).map(({ id, joins }) => [id, joins]))
  const persons = locked.filter(({ id }) => members.has(id))
  const joining = persons.filter(({ id }) => members.get(id)).map(({ id }) => id)
  const leaving = tied ? [] : persons.map(({ id }) => id)
  await exchangeMembers(tx, organizationId, from, { joining: [], leaving })
  const [inTooMany] = await exchangeMembers(tx, organizationId, name, { joining, leaving: [] })
  if (inTooMany)
    throw conflict('limit_reached', `group_name: ${inTooMany} would be in more than ${maxGroupsOfPerson} groups`)
  const joins = new Set(joining)
  return persons.map((person) => ({
    person,
    before: joins.has(person.id) ? [from] : [from, name],
    after: tied ? [from, name] : [name],
  }))
}
