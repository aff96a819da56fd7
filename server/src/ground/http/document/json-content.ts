import type { TSchema } from 'typebox'
import type { Refer } from './components.ts'
import { exampleOf } from './example.ts'

/** A body as the document describes it, with an example. */
export const toJsonContent = (schema: TSchema, refer: Refer) => ({
  'application/json': { schema: refer(schema), example: exampleOf(schema) },
})
