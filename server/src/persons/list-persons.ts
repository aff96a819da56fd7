import { Type } from 'typebox'
import type { Database } from '../database/database.ts'
import { badRequest } from '../errors.ts'
import { operation, type Page, type Paged } from '../http/operation.ts'
import { closed } from '../http/schemas.ts'
import { parseHandle } from './handle.ts'
import { PersonRecord } from './person-record.ts'
import { findPersonByHandle, type Person, pageOfPersons } from './person-store.ts'

export const listPersons = ({ database }: { database: Database }) =>
  operation({
    id: 'listPersons',
    method: 'GET',
    path: '/persons',
    access: 'key',
    scope: 'persons:read',
    tag: 'Persons',
    summary: 'List the persons',
    description: 'The oldest first.',
    query: closed({
      handle: Type.Optional(
        Type.String({
          description:
            'Only the person with this handle: its type, a colon and its value, such as `EmailAddress:jo@example.com`. A ' +
            'blank stands for `+`.',
        }),
      ),
    }),
    status: 200,
    result: PersonRecord,
    paged: true,
    handle: ({ organizationId, query: { handle, ...page } }) =>
      handle === undefined
        ? pageOfPersons(database.pages, organizationId, page)
        : pageByHandle(database, organizationId, handle, page),
  })

async function pageByHandle(
  { read }: Database,
  organizationId: string,
  text: string,
  { limit, offset }: Page,
): Promise<Paged<Person>> {
  const handle = parseHandle(text)
  if (!handle) throw badRequest('handle: must be EmailAddress: or PhoneNumber: followed by a value of that type')
  const person = await findPersonByHandle(read, organizationId, handle)
  const found = person ? [person] : []
  return { items: found.slice(offset, offset + limit), totalCount: found.length }
}
