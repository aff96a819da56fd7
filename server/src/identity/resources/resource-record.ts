import { Type } from 'typebox'
import { notFound } from '../../ground/errors.ts'
import { CreatedAt, idInPath, named, Uuid } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { resourceFields } from './resource-fields.ts'

export const ResourceRecord = named(
  'Resource',
  Type.Object(
    { id: { ...Uuid, description: 'What its operations take.' }, ...resourceFields, created_at: CreatedAt },
    { description: 'An API for which the issuer makes access tokens.' },
  ),
)

export const ResourcePath = Type.Object({ id: idInPath('The id of the resource.') })

/** Throws a 404 for text that is no UUID. */
export function resourceIdIn({ id }: { id: string }): string {
  if (!isUuid(id)) throw noSuchResource()
  return id.toLowerCase()
}

export const noSuchResource = () => notFound('resource')
