import { immutable } from '../errors.ts'
import type { Resource } from '../schema/attributes.ts'
import { requireBounded } from '../schema/read-resource.ts'
import { changeValues } from './change-values.ts'
import type { Operation } from './operation.ts'

/**
 * The resource after the changes; `resource` itself stays as it is. The last value counts, so what it must have may be removed and given
 * anew. Throws `mutability` where it is not.
 */
export function applyPatch(resource: Resource, operations: Operation[]): Resource {
  const changed = structuredClone(resource)
  for (const operation of operations) apply(changed, operation)
  for (const operation of operations) requireKept(changed, operation)
  requireBounded(changed)
  return changed
}

function requireKept(resource: Resource, { extension, attribute, sub }: Operation) {
  const { name, required, type } = attribute
  if (extension || sub || Object.hasOwn(resource, name)) return
  if (required) throw immutable(`${name}: is required`)
  if (type === 'boolean') throw immutable(`${name}: must be true or false, and cannot be removed`)
}

function apply(resource: Resource, operation: Operation) {
  const { extension, ...inner } = operation
  if (extension) return within(resource, extension, (own) => apply(own, inner))
  const { attribute, sub } = operation
  if (attribute.multiValued)
    assign(resource, attribute.name, changeValues(valuesOf(resource, attribute.name), operation))
  else if (sub) within(resource, attribute.name, (own) => assign(own, sub.name, newValue(operation)))
  else assign(resource, attribute.name, newValue(operation))
}

const valuesOf = (resource: Resource, name: string) => (resource[name] ?? []) as Resource[]

const newValue = ({ op, value }: Operation) => (op === 'remove' ? undefined : value)

/** An object without members says nothing. */
function within(resource: Resource, name: string, change: (own: Resource) => void) {
  const own = { ...(resource[name] as Resource | undefined) }
  change(own)
  assign(resource, name, Object.keys(own).length > 0 ? own : undefined)
}

function assign(resource: Resource, name: string, value: unknown) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) delete resource[name]
  else resource[name] = value
}
