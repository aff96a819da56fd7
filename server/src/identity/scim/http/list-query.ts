import type { Filter } from '../filter/filter.ts'
import type { ResourceSchema } from '../schema/attributes.ts'
import type { Projection } from '../schema/to-answer.ts'

/** `startIndex` begins at 1; `count` is 0 to 1,000. */
export type ListQuery = { filter?: Filter; startIndex: number; count: number; projection: Projection }

export function readListQuery(_schema: ResourceSchema, _query: Record<string, string>): ListQuery {
  throw new Error('not built yet')
}

export function readProjection(_schema: ResourceSchema, _query: Record<string, string>): Projection {
  throw new Error('not built yet')
}

/** A ListResponse. `resources` are answers already. */
export function toList(_resources: object[], _totalResults: number, _startIndex: number): object {
  throw new Error('not built yet')
}
