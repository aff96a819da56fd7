import { Type } from 'typebox'
import { notFound } from '../../ground/errors.ts'
import { CreatedAt, idInPath, named, Uuid } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { GroupName } from './groups/index.ts'
import { HandleRecord } from './handles.ts'

export const personFields = {
  active: Type.Boolean({ description: 'A person who is not active cannot sign in. Default: true.' }),
  region: Type.String({
    description: "The region that the person's events name: one of those of the service. Default: that which answers.",
    examples: ['local'],
  }),
}

export const PersonRecord = named(
  'Person',
  Type.Object(
    {
      person_id: { ...Uuid, description: 'The id of the person.' },
      ...personFields,
      handles: Type.Array(HandleRecord, { description: 'All handles of the person.' }),
      groups: Type.Array(GroupName, { description: 'All groups of the person, sorted as bytes.' }),
      created_at: CreatedAt,
    },
    { description: 'Somebody who signs in.' },
  ),
)

export const PersonPath = Type.Object({
  person_id: idInPath('The id of the person.'),
})

/** A text that is no UUID is not found, like an unknown id. */
export function personIdIn({ person_id }: { person_id: string }): string {
  if (!isUuid(person_id)) throw notFound('person')
  return person_id.toLowerCase()
}
