import type { Dialect } from './client.ts'
import type { Group, Person } from './directory.ts'
import { type Requests, Unanswered } from './requests.ts'
import { attributesIn, attributesOf, differing, findBy, groupSchema, type Links, patchOf, userOf } from './wire.ts'

type Options = {
  requests: Requests
  links: Links
  /** The operations of `aadOptscim062020`, which stands in the address. */
  isFlagged: boolean
  chance: () => number
  /** Is told of each person before it is created. */
  onCreate(person: Person): void
}

/** What it knows of a group's members; it never reads them. */
type Known = { members: Set<string>; uncertain: Set<string> }
type Operation = { op: string; path?: string; value?: unknown }

export const entraFlag = 'aadOptscim062020'
const entraGroupSchema = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'
const mostInOnePatch = 20
const withoutMembers = '&excludedAttributes=members'

/** Matches, then creates or changes; switches off, and deletes later; groups are made empty and filled by adds. */
export function createEntra({ requests, links, isFlagged, chance, onCreate }: Options): Dialect {
  const { ask } = requests
  const known = new Map<Group, Known>()

  const match = async (person: Person) => {
    const id = links.get(person)
    const { status, body } = id ? await ask('GET', `/Users/${id}`, [200, 404]) : { status: 404, body: undefined }
    return status === 200 ? body : findBy(requests, 'Users', `externalId eq "${person.externalId}"`)
  }
  const create = async (person: Person): Promise<void> => {
    onCreate(person)
    const user = { ...userOf(person), meta: { resourceType: 'User' }, roles: [] }
    const post = () => ask('POST', '/Users', [201, 409], user)
    // It may create in parallel: one of them gets 409.
    const answers = await Promise.all(chance() < 0.1 ? [post(), post()] : [post()])
    const created = answers.filter(({ status }) => status === 201)
    if (created.length > 1) throw new Error(`${person.userName} was created twice`)
    const { id } = created[0]?.body ?? (await match(person)) ?? {}
    if (id === undefined) throw new Error(`${person.userName}: 409, and nobody has that externalId`)
    links.set(person, id)
  }
  const operationOf = (path: string, value: string | boolean | undefined, wasThere: boolean): Operation => {
    if (value === undefined) return chance() < 0.5 ? { op: 'Remove', path } : { op: 'Replace', path, value: '' }
    const sent = typeof value === 'string' ? value : value ? 'True' : 'False'
    return { op: wasThere ? 'Replace' : 'Add', path, value: sent }
  }
  const change = async (id: string, person: Person, found: object) => {
    const [wanted, there] = [attributesOf(person), attributesIn(found)]
    const paths = differing(wanted, there)
    if (paths.length === 0) return false
    const operations = isFlagged
      ? flagged(wanted, paths)
      : paths.map((path) => operationOf(path, wanted[path], there[path] !== undefined))
    await ask('PATCH', `/Users/${id}`, [200, 204], patchOf(operations))
    return true
  }

  const matchGroup = async (group: Group) => {
    const byName = `displayName eq "${group.displayName}"`
    const byId = `externalId eq "${group.externalId}"`
    return (
      (await findBy(requests, 'Groups', byName, withoutMembers)) ??
      (await findBy(requests, 'Groups', byId, withoutMembers))
    )
  }
  const createGroup = async (group: Group): Promise<string> => {
    const { externalId, displayName } = group
    const fields = {
      schemas: [groupSchema, entraGroupSchema],
      externalId,
      displayName,
      meta: { resourceType: 'Group' },
    }
    const { status, body } = await ask('POST', '/Groups', [201, 409], fields)
    const { id } = status === 201 ? body : await matchGroup(group)
    links.set(group, id)
    return id
  }
  const rename = async (id: string, { displayName }: Group) => {
    const { body } = await ask('GET', `/Groups/${id}?excludedAttributes=members`, [200])
    if (body.members) throw new Error('members were excluded')
    if (body.displayName === displayName) return false
    const op = isFlagged
      ? { op: 'replace', value: { displayName } }
      : { op: 'Replace', path: 'displayName', value: displayName }
    await ask('PATCH', `/Groups/${id}`, [200, 204], patchOf([op]))
    return true
  }
  const isMember = async (id: string, member: string) =>
    (await findBy(requests, 'Groups', `id eq "${id}" and members eq "${member}"`, withoutMembers)) !== undefined
  const toRemove = (members: string[]): Operation[] =>
    isFlagged
      ? members.map((value) => ({ op: 'remove', path: `members[value eq "${value}"]` }))
      : [{ op: 'Remove', path: 'members', value: members.map((value) => ({ value })) }]
  const toAdd = (members: string[]): Operation[] => [
    { op: isFlagged ? 'add' : 'Add', path: 'members', value: members.map((value) => ({ $ref: null, value })) },
  ]
  /** Where an answer is missing, it asks for these members before it changes them again. */
  const move = async (id: string, its: Known, members: string[], isAdded: boolean) => {
    for (let from = 0; from < members.length; from += mostInOnePatch) {
      const some = members.slice(from, from + mostInOnePatch)
      for (const member of some) its.uncertain.add(member)
      await ask('PATCH', `/Groups/${id}`, [200, 204], patchOf(isAdded ? toAdd(some) : toRemove(some)))
      for (const member of some) {
        its.uncertain.delete(member)
        its.members[isAdded ? 'add' : 'delete'](member)
      }
    }
    return members.length > 0
  }
  const look = async (id: string, { members, uncertain }: Known) => {
    const any = [...members][Math.floor(chance() * members.size)]
    for (const member of [...uncertain, ...(any === undefined ? [] : [any])]) {
      members[(await isMember(id, member)) ? 'add' : 'delete'](member)
      uncertain.delete(member)
    }
  }
  /** One who could not be created yet: the group waits for the next cycle, too. */
  const linked = (member: Person) => {
    const id = links.get(member)
    if (id === undefined) throw new Unanswered(`${member.userName} is not there yet`)
    return id
  }
  const moveMembers = async (id: string, group: Group) => {
    const its = known.get(group) ?? { members: new Set(), uncertain: new Set() }
    known.set(group, its)
    await look(id, its)
    const wanted = new Set([...group.members].map(linked))
    const hasAdded = await move(id, its, [...wanted.difference(its.members)], true)
    return (await move(id, its, [...its.members.difference(wanted)], false)) || hasAdded
  }

  return {
    pushPerson: async (person) => {
      const found = await match(person)
      if (found) links.set(person, found.id)
      if (person.isGone) {
        if (found) await ask('DELETE', `/Users/${found.id}`, [204, 404])
        return found !== undefined
      }
      if (found) return change(found.id, person, found)
      await create(person)
      return true
    },
    pushGroup: async (group) => {
      const found = links.get(group) ?? (await matchGroup(group))?.id
      if (found) links.set(group, found)
      if (group.isGone) {
        if (found) await ask('DELETE', `/Groups/${found}`, [204, 404])
        return found !== undefined
      }
      const id = found ?? (await createGroup(group))
      const isRenamed = await rename(id, group)
      return (await moveMembers(id, group)) || isRenamed || !found
    },
  }
}

/** One operation without a path, with dotted keys; addresses have one of their own, and what is to go another. */
function flagged(wanted: Record<string, string | boolean>, paths: string[]): Operation[] {
  const isAlone = (path: string) => path.includes('[') || wanted[path] === undefined
  const together = paths.filter((path) => !isAlone(path))
  const value = Object.fromEntries(together.map((path) => [path, wanted[path]]))
  const alone = paths
    .filter(isAlone)
    .map((path) => (wanted[path] === undefined ? { op: 'remove', path } : { op: 'replace', path, value: wanted[path] }))
  return together.length > 0 ? [{ op: 'replace', value }, ...alone] : alone
}
