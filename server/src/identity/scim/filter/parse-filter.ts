import type { ResourceSchema } from '../schema/attributes.ts'
import type { Filter } from './filter.ts'

/** Throws `invalidFilter`, and `tooMany` beyond 50 terms. */
export function parseFilter(_schema: ResourceSchema, _text: string): Filter {
  throw new Error('not built yet')
}
