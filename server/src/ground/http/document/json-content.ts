import type { TSchema } from 'typebox'
import { anyBytes } from '../chain/bytes-body.ts'
import type { Refer } from './components.ts'
import { exampleOf } from './example.ts'

/** A body as the document describes it, with an example. */
export const toJsonContent = (schema: TSchema, refer: Refer) => ({
  'application/json': { schema: refer(schema), example: exampleOf(schema) },
})

/** A body that is no JSON. */
export const toBytesContent = (mediaTypes: string[]) =>
  Object.fromEntries([anyBytes, ...mediaTypes].map((type) => [type, { schema: { type: 'string', format: 'binary' } }]))
