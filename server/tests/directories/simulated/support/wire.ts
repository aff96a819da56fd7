import type { Person, Thing } from './directory.ts'
import type { Requests, ScimAnswer } from './requests.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** The ids that Signet gave. */
export type Links = Map<Thing, string>

/** By the paths that Entra changes them by; what is empty is absent. */
export type Attributes = Record<string, string | boolean>

export function attributesOf(person: Person): Attributes {
  const { userName, externalId, displayName, givenName, familyName, email, title, department, isActive } = person
  return withoutEmpty({
    userName,
    externalId,
    displayName,
    title,
    'name.givenName': givenName,
    'name.familyName': familyName,
    'emails[type eq "work"].value': email,
    [`${enterprise}:department`]: department,
    active: isActive,
  })
}

type Resource = ScimAnswer['body']

export function attributesIn(user: Resource): Attributes {
  const { userName, externalId, displayName, name = {}, emails = [], title, active } = user
  return withoutEmpty({
    userName,
    externalId,
    displayName,
    title,
    'name.givenName': name.givenName,
    'name.familyName': name.familyName,
    'emails[type eq "work"].value': emails.find(({ type }: { type: string }) => type === 'work')?.value,
    [`${enterprise}:department`]: user[enterprise]?.department,
    active,
  })
}

const withoutEmpty = (attributes: Record<string, string | boolean | undefined>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (entry): entry is [string, string | boolean] => entry[1] !== undefined && entry[1] !== '',
    ),
  )

/** The paths at which they differ. */
export const differing = (some: Attributes, others: Attributes): string[] =>
  [...new Set([...Object.keys(some), ...Object.keys(others)])].filter((path) => some[path] !== others[path])

/** A user as it is created, and as a PUT says it. */
export function userOf(person: Person) {
  const { userName, externalId, displayName, givenName, familyName, email, title, department, isActive } = person
  return {
    schemas: [userSchema, enterprise],
    userName,
    externalId,
    displayName,
    name: { givenName, familyName },
    emails: [{ primary: true, type: 'work', value: email }],
    ...(title && { title }),
    [enterprise]: { department },
    active: isActive,
  }
}

export const patchOf = (Operations: object[]) => ({ schemas: [patchSchema], Operations })

/** The one that fits. */
export async function findBy(
  { ask }: Requests,
  type: 'Users' | 'Groups',
  filter: string,
  more = '',
): Promise<Resource> {
  const { body } = await ask('GET', `/${type}?filter=${encodeURIComponent(filter)}${more}`, [200])
  return body.Resources[0]
}
