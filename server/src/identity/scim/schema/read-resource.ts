import type { Resource, ResourceSchema } from './attributes.ts'

/**
 * A resource as a client sent it, by canonical names. Unknown and read-only attributes and empty texts are left out; `"True"` and
 * `"False"` are booleans. Throws `invalidValue`, which names the attribute: `emails[0].value: …`.
 */
export function readResource(_schema: ResourceSchema, _body: object): Resource {
  throw new Error('not built yet')
}
