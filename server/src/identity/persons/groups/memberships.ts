import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { badRequest, notFound } from '../../../ground/errors.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { maxGroupsOfPerson } from './group-name.ts'
import {
  deleteMembers,
  deleteMembership,
  existingGroups,
  existingPersons,
  groupsOf,
  holdGroups,
  insertMembers,
  insertMemberships,
  lockPersons,
  personsInMoreThan,
  replaceMemberships,
} from './membership-store.ts'

/*
 * Statements that are sent together run in the order of the source, in one round trip. A refusal rolls back the
 * transaction and so the statements before it.
 */

/**
 * Replaces all groups of a person by `names` (4.4) and returns the person, and the groups before and after, both sorted. Throws a 404 when there is no such person, and
 * a 400 that names each group that does not exist.
 */
export async function setGroups(tx: Transaction, organizationId: string, personId: string, names: string[]) {
  const [[person], { existing, before }] = await Promise.all([
    lockPersons(tx, organizationId, [personId]),
    replaceMemberships(tx, organizationId, personId, names),
  ])
  if (!person) throw notFound('person')
  refuseMissingGroups(names, existing)
  return { person, before, after: existing }
}

/** Adds a person to groups and returns the person with all groups before and after, both sorted. Refuses as `setGroups` does. */
export async function addToGroups(tx: Transaction, organizationId: string, personId: string, names: string[]) {
  const [[person], { existing, added }, all] = await Promise.all([
    lockPersons(tx, organizationId, [personId]),
    insertMemberships(tx, organizationId, [personId], names),
    groupsOf(tx, organizationId, personId),
  ])
  if (!person) throw notFound('person')
  refuseMissingGroups(names, existing)
  if (all.length > maxGroupsOfPerson)
    throw badRequest('limit_reached', `groups: a person can be in at most ${maxGroupsOfPerson} groups`)
  const isNew = new Set(added.map(({ name }) => name))
  return { person, before: all.filter((name) => !isNew.has(name)), after: all }
}

/** Returns the persons who were not in it before. Throws a 404 when there is no such group, and a 400 that names each person who does not exist. */
export async function addMembers(tx: Transaction, organizationId: string, groupName: string, persons: string[]) {
  const personIds = persons.map((id) => id.toLowerCase())
  const [locked, { existing, added }, inTooMany] = await Promise.all([
    lockPersons(tx, organizationId, personIds),
    insertMemberships(tx, organizationId, personIds, [groupName]),
    personsInMoreThan(tx, organizationId, personIds, maxGroupsOfPerson),
  ])
  if (existing.length === 0) throw notFound('group')
  refuseMissing(
    'persons',
    personIds,
    locked.map(({ id }) => id),
  )
  refuseInTooMany(personIds, inTooMany)
  const isNew = new Set(added.map(({ personId }) => personId))
  return locked.filter(({ id }) => isNew.has(id))
}

/**
 * Removes a person from a group, and returns the person with all groups before and after, both sorted. Throws a 404 when the person is not in it,
 * or when either does not exist.
 */
export async function leaveGroup(tx: Transaction, organizationId: string, personId: string, groupName: string) {
  if (!isUuid(personId)) throw notFound('membership')
  const [[person], , before, isRemoved] = await Promise.all([
    lockPersons(tx, organizationId, [personId]),
    holdGroups(tx, organizationId, [groupName]),
    groupsOf(tx, organizationId, personId),
    deleteMembership(tx, organizationId, personId, groupName),
  ])
  if (!person || !isRemoved) throw notFound('membership')
  return { person, before, after: before.filter((name) => name !== groupName) }
}

type Exchange = { joining: string[]; leaving: string[] }

/**
 * Takes persons out of a group and brings others in, who are not in it. The caller has locked all of them. Gives those who are then in more
 * groups than a person can be in, for whom it must be rolled back.
 */
export async function exchangeMembers(
  tx: Transaction,
  organizationId: string,
  groupName: string,
  { joining, leaving }: Exchange,
): Promise<string[]> {
  const [, , inTooMany] = await Promise.all([
    leaving.length > 0 && deleteMembers(tx, organizationId, groupName, leaving),
    joining.length > 0 && insertMembers(tx, organizationId, groupName, joining),
    joining.length > 0 ? personsInMoreThan(tx, organizationId, joining, maxGroupsOfPerson) : [],
  ])
  return inTooMany
}

/** Throws a 400 that names each group that does not exist. */
export async function requireGroups(queries: Queries, organizationId: string, names: (string | undefined)[] = []) {
  const wanted = names.filter((name) => name !== undefined)
  if (wanted.length > 0) refuseMissingGroups(names, await existingGroups(queries, organizationId, wanted))
}

/** Throws a 400 that names each person who does not exist. */
export async function requirePersons(queries: Queries, organizationId: string, ids: (string | undefined)[] = []) {
  const personIds = ids.map((id) => id?.toLowerCase())
  const wanted = personIds.filter((id) => id !== undefined)
  if (wanted.length > 0) refuseMissing('persons', personIds, await existingPersons(queries, organizationId, wanted))
}

const refuseMissingGroups = (names: (string | undefined)[], existing: string[]) =>
  refuseMissing('groups', names, existing)

function refuseInTooMany(wanted: string[], inTooMany: string[]) {
  const problems = inTooMany.map(
    (id) => `persons[${wanted.indexOf(id)}]: ${id} is in ${maxGroupsOfPerson} groups, the most that a person can be in`,
  )
  if (problems.length > 0) throw badRequest('limit_reached', ...problems)
}

function refuseMissing(field: string, wanted: (string | undefined)[], existing: string[]) {
  const known = new Set<string | undefined>([...existing, undefined])
  const problems = [...new Set(wanted)]
    .filter((name) => !known.has(name))
    .map((name) => `${field}[${wanted.indexOf(name)}]: ${name} does not exist`)
  if (problems.length > 0) throw badRequest('unknown_reference', ...problems)
}
