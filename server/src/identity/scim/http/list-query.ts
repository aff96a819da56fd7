import { invalidValue } from '../errors.ts'
import type { Filter } from '../filter/filter.ts'
import { parseFilter } from '../filter/parse-filter.ts'
import type { ResourceSchema } from '../schema/attributes.ts'
import { nameOf, schemaNamed, toPath } from '../schema/paths.ts'
import type { Projection } from '../schema/to-answer.ts'

/** Of a page. More are not refused: a client reads how many it was given. */
export const maxResults = 1_000
const standardCount = 100
/** Attributes that an answer may be asked for, or be without. */
const maxNamed = 200
/** The end of PostgreSQL's integers. */
const maxStart = 2_147_483_647

/** `startIndex` begins at 1; `count` is 0 to 1,000. */
export type ListQuery = { filter?: Filter; startIndex: number; count: number; projection: Projection }

type Query = Readonly<Record<string, string>>

export function readListQuery(schema: ResourceSchema, query: Query): ListQuery {
  const { filter } = query
  return {
    ...(filter !== undefined && filter.trim() !== '' && { filter: parseFilter(schema, filter) }),
    startIndex: Math.min(maxStart, Math.max(1, readInteger('startIndex', query, 1))),
    count: Math.min(maxResults, Math.max(0, readInteger('count', query, standardCount))),
    projection: readProjection(schema, query),
  }
}

function readInteger(name: 'startIndex' | 'count', { [name]: text }: Query, standard: number): number {
  if (text === undefined || text === '') return standard
  if (!/^[+-]?\d{1,10}$/.test(text)) throw invalidValue(`${name}: must be an integer`)
  return Number(text)
}

export function readProjection(schema: ResourceSchema, { attributes, excludedAttributes }: Query): Projection {
  const asked = attributes?.trim() ? namesIn(schema, attributes) : undefined
  return { asked, excluded: namesIn(schema, excludedAttributes) }
}

/** Canonical. Names that nobody knows mean nothing. */
function namesIn(schema: ResourceSchema, list = ''): Set<string> {
  const names = new Set<string>()
  for (const name of list.split(',', maxNamed).map((each) => each.trim())) {
    const whole = schemaNamed(schema, name)
    const path = toPath(schema, name)
    if (whole) names.add(whole.id)
    else if (path?.attribute) names.add(nameOf(path))
  }
  return names
}

/** A ListResponse. `resources` are answers already. */
export const toList = (resources: object[], totalResults: number, startIndex: number): object => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
