import type { Filter } from '../filter/filter.ts'
import type { Attribute, ResourceSchema } from '../schema/attributes.ts'

/**
 * A change of one attribute. `extension`: the URN that it belongs to. `filter`: which values of a multi-valued attribute.
 * `value` is read as `readResource` reads it: of the whole attribute, of `sub`, or of one value where there is a `filter`; that of a
 * multi-valued attribute is always a list. Undefined with `remove`, but where the client listed the values that go.
 */
export type Operation = {
  op: 'add' | 'replace' | 'remove'
  extension?: string
  attribute: Attribute
  sub?: Attribute
  filter?: Filter
  value?: unknown
}

/**
 * One operation for each attribute: values without a path and dotted keys are taken apart. An empty text is a `remove`.
 * Throws `invalidSyntax`, `invalidPath`, `invalidValue`, `mutability` and `noTarget`.
 */
export function readPatch(_schema: ResourceSchema, _body: object): Operation[] {
  throw new Error('not built yet')
}
