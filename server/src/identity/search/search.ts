import { Type } from 'typebox'
import type { SearchTerm } from '../../ground/database/begins-with.ts'
import type { Database } from '../../ground/database/database.ts'
import { badRequest } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { rule } from '../../ground/http/chain/schemas.ts'
import { covers } from '../../ground/http/chain/scopes.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { Found } from './found.ts'
import { searches } from './searches.ts'

/** Of each type. */
const limit = 5
const maxLength = 200

export const search = ({ database }: { database: Database }) =>
  operation({
    id: 'search',
    method: 'GET',
    path: '/organizations/search',
    scopeOfEachThing: true,
    tag: 'Organization settings',
    summary: 'Search by name, id or handle',
    description:
      'Webhooks, groups, applications, credentials, directories, resources and API keys whose name begins with the text, whatever the case of its ' +
      'letters; persons with a handle that begins with it; and whatever has it as its id, events and their deliveries among them. Of ' +
      `each type at most ${limit}. Nothing in the text is a wildcard. Any key may call it, and finds what its scopes let it read.`,
    query: Type.Object({
      q: Type.String({
        minLength: 1,
        maxLength,
        ...rule(`must be 1 to ${maxLength} characters`),
        description: `How a name or a handle begins, or a whole id: 1 to ${maxLength} characters. Blanks around it do not count.`,
        examples: ['bill'],
      }),
    }),
    result: Type.Array(Found, { description: 'What was found.' }),
    handle: async ({ organizationId, principal, query: { q } }) => {
      const term = toTerm(q)
      const allowed = searches.filter(({ scope }) => covers(principal?.scopes ?? [], scope))
      const found = await Promise.all(allowed.map(({ find }) => find(database.pages, organizationId, term)))
      return found.flat()
    },
  })

function toTerm(q: string): SearchTerm {
  const text = q.trim()
  if (text === '') throw badRequest('invalid_value', `q: must be 1 to ${maxLength} characters, and not only blanks`)
  return { text, id: isUuid(text) ? text.toLowerCase() : undefined, limit }
}
