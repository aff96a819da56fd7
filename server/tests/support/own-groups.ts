import { expect } from 'vitest'
import { ask, closeDirectories, inside, newOrganization, openDirectories, ours, signet } from './own-directories.ts'
import { core, type Pushing, startPushing } from './pushing.ts'
import type { Answer } from './signet.ts'

export { ask, closeDirectories, inside, openDirectories, ours, signet }

/** The directory of a test, and three users of it. */
export let corp: Pushing
export let jo: string
export let kim: string
export let lou: string

export const coreGroup = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const signetGroup = 'urn:signet:scim:schemas:1.0:Group'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export async function newDirectory() {
  await newOrganization()
  corp = await startPushing(signet, ours)
  ;[jo, kim, lou] = (await Promise.all(['jo', 'kim', 'lou'].map((name) => newUser(name)))) as [string, string, string]
}

export const newUser = async (name: string, of = corp): Promise<string> =>
  (await of.push({ schemas: [core], userName: `${name}@corp.example` })).id

export const post = (group: object, of = corp) => of.call('POST', '/Groups', { schemas: [coreGroup], ...group })
export const put = (id: string, group: object, headers = {}) =>
  corp.call('PUT', `/Groups/${id}`, { schemas: [coreGroup], ...group }, headers)
export const patch = (id: string, ...Operations: object[]) =>
  corp.call('PATCH', `/Groups/${id}`, { schemas: [patchOp], Operations })
export const get = (id: string, query = '') => corp.call('GET', `/Groups/${id}${query}`)
export const find = async (filter: string, query = ''): Promise<Answer['body'][]> => {
  const { status, body } = await corp.call('GET', `/Groups?filter=${encodeURIComponent(filter)}${query}`)
  expect(status).toBe(200)
  expect(body.totalResults).toBe(body.Resources.length)
  return body.Resources
}

export const membersOf = (...ids: string[]) => ids.map((value) => ({ value }))
/** A group with these members, and what Signet calls it. */
export async function newGroup(displayName: string, ...members: string[]): Promise<{ id: string; name: string }> {
  const { status, body } = await post({ displayName, members: membersOf(...members) })
  expect(status).toBe(201)
  return { id: body.id, name: body[signetGroup].groupName }
}

/** By the interface: the ids of the persons who are in it. */
export const personsIn = async (name: string): Promise<string[]> =>
  (await ask('GET', `/groups/${name}/persons?limit=1000`)).body.result.sort()
export const groupsOf = async (person: string): Promise<string[]> =>
  (await ask('GET', `/persons/${person}/groups`)).body.result

export type GroupsChanged = { person_id: string; region: string; added: string[]; removed: string[] }
/** Of the organization, as the feed has them. */
export async function groupsChanged(): Promise<GroupsChanged[]> {
  const { body } = await ask('GET', '/events?event_name=PersonGroupsChanged_v1&limit=1000')
  return body.result
}
export const joined = (person_id: string, ...added: string[]) => ({ person_id, added, removed: [] })
export const left = (person_id: string, ...removed: string[]) => ({ person_id, added: [], removed })

/** Sorted, so that they can be compared with others. */
export const sorted = (...ids: string[]) => ids.toSorted()

export const scimError = (status: number, scimType: string | undefined, detail: unknown) => ({
  status,
  body: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    detail,
    ...(scimType !== undefined && { scimType }),
  },
})
export const noGroup = scimError(404, undefined, 'id: no such resource in this directory')
