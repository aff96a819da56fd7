import { Type } from 'typebox'
import { conflict, notFound } from '../../ground/errors.ts'
import { CreatedAt, idInPath, named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { directoryFields } from './directory-fields.ts'
import type { ShownDirectory } from './directory-store.ts'
import { RefusalRecord } from './refusals/refusal-record.ts'

export const scimUrl = Type.String({
  description: "The address to enter at the customer's directory.",
  examples: ['https://id.example.com/scim/0199a3f2-5c00-7000-8000-0242ac120002/v2'],
})

const count = (what: string) => Type.Integer({ description: `How many ${what} it keeps.`, examples: [120] })

const fields = {
  id: { ...Uuid, description: 'What its operations take.' },
  ...directoryFields,
  oauth_client_id: Type.Optional(directoryFields.oauth_client_id),
  scim_url: scimUrl,
  created_at: CreatedAt,
  last_request_at: Type.Optional({
    ...Timestamp,
    description: 'When its client called last with a token that was accepted, to the minute. Absent: never.',
  }),
}

export const DirectoryRecord = named(
  'Directory',
  Type.Object(fields, { description: 'A directory, which keeps persons and groups by SCIM.' }),
)
export const CountedDirectory = named(
  'CountedDirectory',
  Type.Object(
    {
      ...fields,
      users_count: count('persons'),
      groups_count: count('groups'),
      last_refusal: Type.Optional(RefusalRecord),
    },
    { description: 'A directory, with what it keeps and what was refused last.' },
  ),
)

export const scimUrlOf = (baseUrl: string, organizationId: string) => `${baseUrl}/scim/${organizationId}/v2`

/** Leaves out what is null. */
export function toRecord(
  { id, oauth_client_id, created_at, last_request_at, credential_id: _, ...rest }: ShownDirectory,
  scim_url: string,
) {
  return {
    id,
    ...rest,
    ...(oauth_client_id !== null && { oauth_client_id }),
    scim_url,
    created_at,
    ...(last_request_at && { last_request_at }),
  }
}

export const DirectoryPath = Type.Object({ id: idInPath('The id of the directory.') })

/** Throws a 404 for text that is no UUID. */
export function directoryIdIn({ id }: { id: string }): string {
  if (!isUuid(id)) throw noSuchDirectory()
  return id.toLowerCase()
}

export const noSuchDirectory = () => notFound('directory')
export const credentialTaken = () => conflict('already_exists', 'oauth_client_id: is that of another directory')
