import { Type } from 'typebox'
import { notFound } from '../errors.ts'
import { GroupName } from '../groups/index.ts'
import { rule, Timestamp, Uuid } from '../http/schemas.ts'
import { isUuid } from '../identifiers.ts'
import { HandleRecord } from './handles.ts'

export const Region = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,63}$',
  description: "The region that a person's events name.",
  ...rule('must be 1 to 63 letters, digits, _ or -'),
})

export const PersonRecord = Type.Object({
  person_id: Uuid,
  active: Type.Boolean({ description: 'A person who is not active cannot sign in.' }),
  region: Region,
  handles: Type.Array(HandleRecord),
  groups: Type.Array(GroupName, { description: 'All groups of the person, sorted as bytes.' }),
  created_at: Timestamp,
})

export const PersonPath = Type.Object({ person_id: Type.String({ description: 'The person.' }) })

/** What is no UUID names no person. */
export function personIdIn({ person_id }: { person_id: string }): string {
  if (!isUuid(person_id)) throw notFound('person')
  return person_id.toLowerCase()
}
