import type { Transaction } from '../../../ground/database/database.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { usersAmong } from '../../directories/index.ts'
import { exchangeMembers, lockPersons, type Member, maxGroupsOfPerson } from '../../persons/groups/index.ts'
import { invalidValue, tooLarge } from '../errors.ts'
import { maxMembers } from '../schema/group-schema.ts'
import { membersToExchange } from './group-store.ts'
import type { MemberChange } from './member-change.ts'

/** Of those who are refused, so many are named. */
const maxNamed = 10

export type Exchanged = { joined: Member[]; left: Member[] }

type Place = { organizationId: string; directoryId: string; group: { name: string; membersCount: number } }

/**
 * Brings members in and takes others out, and gives those for whom that is a change. The caller has locked the group; persons are locked
 * here, all at once and in the order of their ids, as everywhere. Throws a 400 that names each who is no user of the directory, or would be
 * in too many groups, and a 413 where the group would have too many members.
 */
export async function exchange(
  tx: Transaction,
  { organizationId, directoryId, group }: Place,
  change: MemberChange,
): Promise<Exchanged & { membersCount: number }> {
  refuse(
    [...change.joining].filter((id) => !isUuid(id)),
    isNoUser,
  )
  const known = { ...change, leaving: new Set([...change.leaving].filter(isUuid)) }
  const { joining, leaving } = await membersToExchange(tx, organizationId, group.name, known)
  if (joining.length + leaving.length === 0) return { joined: [], left: [], membersCount: group.membersCount }
  // Sent together: whoever is deleted, or taken out of the directory, is so before this or waits.
  const [persons, users] = await Promise.all([
    lockPersons(tx, organizationId, [...joining, ...leaving]),
    usersAmong(tx, organizationId, directoryId, joining),
  ])
  refuse(
    joining.filter((id) => !users.has(id)),
    isNoUser,
  )
  const membersCount = group.membersCount + joining.length - leaving.length
  if (membersCount > maxMembers) throw tooLarge(`members: must be at most ${maxMembers} persons`)
  const inTooMany = await exchangeMembers(tx, organizationId, group.name, { joining, leaving })
  refuse(inTooMany, isInTooMany)
  return {
    joined: persons.filter(({ id }) => users.has(id)),
    left: persons.filter(({ id }) => !users.has(id)),
    membersCount,
  }
}

const isNoUser = (id: string) => `${id} is no user of this directory`
const isInTooMany = (id: string) => `${id} is in ${maxGroupsOfPerson} groups, the most that a person can be in`

function refuse(ids: string[], say: (id: string) => string) {
  if (ids.length === 0) return
  const more = ids.length > maxNamed ? `, and ${ids.length - maxNamed} more` : ''
  throw invalidValue(`members: ${ids.slice(0, maxNamed).map(say).join(', ')}${more}`)
}
