import type { Filter } from '../filter/filter.ts'
import type { KnownPath } from '../schema/paths.ts'

/**
 * A change of one attribute. `filter`: which values of a multi-valued attribute, of which `sub` is a part. `value` is in canonical form: of
 * the whole attribute a list where it is multi-valued; of `sub`, or of one value where there is a `filter`. A `remove` has one only where
 * the client listed the values that go.
 */
export type Operation = KnownPath & { op: 'add' | 'replace' | 'remove'; filter?: Filter; value?: unknown }
