import type { Resource, ResourceSchema } from './attributes.ts'

/** Which attributes an answer has, by `attributes` and `excludedAttributes`. Undefined: all that are returned by default. */
export type Projection = { asked: ReadonlySet<string> | undefined; excluded: ReadonlySet<string> }

/** Whether an answer has this attribute of the resource's own schema at all: what is not wanted need not be loaded. */
export function isWanted(_projection: Projection, _attribute: string): boolean {
  throw new Error('not built yet')
}

/** `meta` of a stored resource. `scimUrl`: that of the call. */
export function toMeta(
  _schema: ResourceSchema,
  _scimUrl: string,
  _stored: { id: string; created_at: Date; updated_at: Date; version: number },
): { resourceType: string; created: string; lastModified: string; location: string; version: string } {
  throw new Error('not built yet')
}

/** Has `schemas` and the order of the schema. `resource` needs `id` and `meta`. */
export function toAnswer(_schema: ResourceSchema, _resource: Resource, _projection: Projection): object {
  throw new Error('not built yet')
}
