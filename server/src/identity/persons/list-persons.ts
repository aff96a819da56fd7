import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation, type Page, type Paged } from '../../ground/http/chain/operation.ts'
import { closed, rule } from '../../ground/http/chain/schemas.ts'
import { parseHandle, toHandlePrefix } from './handle.ts'
import { createLargeCounts } from './large-counts.ts'
import { PersonRecord } from './person-record.ts'
import { findPersonByHandle, type Person, type PersonSearch, pageOfPersons } from './person-store.ts'

export const listPersons = ({ database }: { database: Database }) => {
  const largeCounts = createLargeCounts()
  return operation({
    id: 'listPersons',
    method: 'GET',
    path: '/persons',
    scope: 'persons:read',
    tag: 'Persons',
    summary: 'List the persons',
    description: 'The newest first. Where `total_count` is 100,000 or more, it may be ten seconds old.',
    query: closed({
      handle: Type.Optional(
        Type.String({
          description:
            'Only the person with this handle: its type, a colon and its value, such as `EmailAddress:jo@example.com`. A ' +
            'blank stands for `+`. Not together with the other filters.',
        }),
      ),
      handle_prefix: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 254,
          ...rule('must be 1 to 254 characters'),
          description:
            'Only persons with an e-mail address or a phone number that begins with this; capital letters count as small ones. A domain ' +
            'with other letters than ASCII is found by its A-label. A blank stands for `+`.',
          examples: ['jo@exa'],
        }),
      ),
      group: Type.Optional(
        Type.String({
          description: 'Only members of this group. None, where there is no such group.',
          examples: ['engineering'],
        }),
      ),
      active: Type.Optional(
        Type.Enum(['true', 'false'], {
          ...rule('must be true or false'),
          description: 'Only persons who may sign in, or only those who may not.',
        }),
      ),
    }),
    result: PersonRecord,
    paged: true,
    handle: async ({ organizationId, query: { handle, limit, offset, ...filters } }) => {
      const page = { limit, offset }
      if (handle === undefined) {
        const search = readSearch(filters)
        const what = JSON.stringify([organizationId, search])
        return pageOfPersons(database.pages, organizationId, search, page, (count) => largeCounts(what, count))
      }
      if (Object.keys(filters).length > 0)
        throw badRequest('invalid_value', 'handle: must not be together with another filter')
      return pageByHandle(database, organizationId, handle, page)
    },
  })
}

type Filters = { handle_prefix?: string; group?: string; active?: 'true' | 'false' }

const readSearch = ({ handle_prefix, group, active }: Filters): PersonSearch => ({
  ...(handle_prefix !== undefined && { handlePrefix: toHandlePrefix(handle_prefix) }),
  ...(group !== undefined && { group }),
  ...(active !== undefined && { active: active === 'true' }),
})

async function pageByHandle(
  { read }: Database,
  organizationId: string,
  text: string,
  { limit, offset }: Page,
): Promise<Paged<Person>> {
  const handle = parseHandle(text)
  if (!handle)
    throw badRequest('invalid_value', 'handle: must be EmailAddress: or PhoneNumber: followed by a value of that type')
  const person = await findPersonByHandle(read, organizationId, handle)
  const found = person ? [person] : []
  return { items: found.slice(offset, offset + limit), totalCount: found.length }
}
