import type { Resource } from '../schema/attributes.ts'
import type { Operation } from './operations.ts'

/** The resource after the changes; `resource` itself stays as it is. */
export function applyPatch(_resource: Resource, _operations: Operation[]): Resource {
  throw new Error('not built yet')
}
