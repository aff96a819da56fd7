import type { KnownPath } from '../schema/paths.ts'

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/**
 * `among`: one value of a multi-valued attribute fulfils all of `filter`, whose paths begin within that attribute. `nothing`: an attribute
 * that nobody knows has no value. `value` is null with `eq` and `ne` only; that of a time is in ISO 8601. `emails eq "x"` is
 * `emails.value eq "x"`.
 */
export type Filter =
  | { is: 'and'; of: Filter[] }
  | { is: 'or'; of: Filter[] }
  | { is: 'not'; of: Filter }
  | { is: 'compare'; path: KnownPath; operator: Operator; value: string | boolean | null }
  | { is: 'present'; path: KnownPath }
  | { is: 'among'; path: KnownPath; filter: Filter }
  | { is: 'nothing' }
