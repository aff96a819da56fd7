import type { Dialect } from './client.ts'
import type { Group, Person } from './directory.ts'
import type { Requests, ScimAnswer } from './requests.ts'
import { attributesIn, attributesOf, differing, findBy, groupSchema, type Links, patchOf, userOf } from './wire.ts'

type Options = {
  requests: Requests
  links: Links
  /** Of an application that its wizard made: PUT for everything. Else one of its catalogue: PATCH. */
  isWizard: boolean
}

/** More changes of members than this are sent as the whole list. */
const mostInOnePatch = 10

/** Pushes persons and groups whole, or patches without a path; persons are switched off, and never deleted. */
export function createOkta({ requests, links, isWizard }: Options): Dialect {
  const { ask } = requests

  const findPerson = ({ userName }: Person) =>
    findBy(requests, 'Users', `userName eq "${userName}"`, '&startIndex=1&count=100')
  const create = async (person: Person) => {
    const user = { ...userOf(person), active: true, groups: [], password: 'Aa1!' }
    const { status, body } = await ask('POST', '/Users', [201, 409], user)
    const created = status === 201 ? body : await findPerson(person)
    links.set(person, created.id)
    return created
  }
  const read = async (person: Person) => {
    const id = links.get(person)
    return id ? (await ask('GET', `/Users/${id}`, [200])).body : findPerson(person)
  }
  const change = async (person: Person, found: ScimAnswer['body']) => {
    const paths = differing(attributesOf(person), attributesIn(found))
    if (paths.length === 0) return false
    const { schemas, ...user } = userOf(person)
    const path = `/Users/${found.id}`
    const value = paths.every((changed) => changed === 'active') ? { active: person.isActive } : { title: '', ...user }
    if (isWizard) await ask('PUT', path, [200], { schemas, id: found.id, ...user, groups: [] })
    else await ask('PATCH', path, [200, 204], patchOf([{ op: 'replace', value }]))
    return true
  }

  const findGroup = ({ displayName }: Group) =>
    findBy(requests, 'Groups', `displayName eq "${displayName}"`, '&startIndex=1&count=100')
  const createGroup = async (group: Group) => {
    const fields = { schemas: [groupSchema], displayName: group.displayName, members: [] }
    const { status, body } = await ask('POST', '/Groups', [201, 409], fields)
    const { id } = status === 201 ? body : await findGroup(group)
    links.set(group, id)
    return id as string
  }
  const put = (id: string, { displayName }: Group, members: object[]) =>
    ask('PUT', `/Groups/${id}`, [200], { schemas: [groupSchema], id, displayName, members })
  const patch = (id: string, operations: object[]) => ask('PATCH', `/Groups/${id}`, [200, 204], patchOf(operations))
  const changeGroup = async (id: string, group: Group) => {
    const { body } = await ask('GET', `/Groups/${id}`, [200])
    const there = new Set<string>((body.members ?? []).map(({ value }: { value: string }) => value))
    const wanted = new Map([...group.members].map((person) => [links.get(person) as string, person.userName]))
    const [joining, leaving] = [new Set(wanted.keys()).difference(there), there.difference(new Set(wanted.keys()))]
    const isRenamed = body.displayName !== group.displayName
    if (!isRenamed && joining.size + leaving.size === 0) return false
    const named = (ids: Iterable<string>) => Array.from(ids, (value) => ({ value, display: wanted.get(value) }))
    if (isWizard) await put(id, group, named(wanted.keys()))
    else {
      if (isRenamed) await patch(id, [{ op: 'replace', value: { id, displayName: group.displayName } }])
      if (joining.size + leaving.size > mostInOnePatch)
        await patch(id, [{ op: 'replace', path: 'members', value: named(wanted.keys()) }])
      else if (joining.size + leaving.size > 0) await patch(id, stepsOf(leaving, named(joining)))
    }
    return true
  }

  return {
    pushPerson: async (person) => {
      const found = await read(person)
      if (found) links.set(person, found.id)
      const isChanged = await change(person, found ?? (await create(person)))
      return isChanged || !found
    },
    pushGroup: async (group) => {
      const found = links.get(group) ?? (await findGroup(group))?.id
      if (found) links.set(group, found)
      if (group.isGone) {
        if (found) await ask('DELETE', `/Groups/${found}`, [204, 404])
        return found !== undefined
      }
      const isChanged = await changeGroup(found ?? (await createGroup(group)), group)
      return isChanged || !found
    },
  }
}

const stepsOf = (leaving: Set<string>, joining: object[]) => [
  ...Array.from(leaving, (value) => ({ op: 'remove', path: `members[value eq "${value}"]` })),
  ...(joining.length > 0 ? [{ op: 'add', path: 'members', value: joining }] : []),
]
