import type { Filter } from './filter.ts'

/** Whether one value of a multi-valued attribute fulfils the filter of a value path. */
export function matches(_filter: Filter, _value: Record<string, unknown>): boolean {
  throw new Error('not built yet')
}
