import { foldCase } from '../schema/attributes.ts'
import type { Filter } from './filter.ts'

type Comparison = Extract<Filter, { is: 'compare' }>

/** Whether one value of a multi-valued attribute fulfils the filter of a value path. */
export function matches(filter: Filter, value: Readonly<Record<string, unknown>>): boolean {
  if (filter.is === 'and') return filter.of.every((part) => matches(part, value))
  if (filter.is === 'or') return filter.of.some((part) => matches(part, value))
  if (filter.is === 'not') return !matches(filter.of, value)
  // A value of a value has no values of its own.
  if (filter.is === 'nothing' || filter.is === 'among') return false
  const own = value[filter.path.attribute.name]
  return filter.is === 'present' ? own !== undefined : compares(own, filter)
}

function compares(own: unknown, { operator, value, path }: Comparison): boolean {
  if (value === null) return (own === undefined) === (operator === 'eq')
  if (typeof own !== 'string' || typeof value !== 'string') return (own === value) === (operator !== 'ne')
  const [left, right] = path.attribute.caseExact ? [own, value] : [foldCase(own), foldCase(value)]
  if (operator === 'co') return left.includes(right)
  if (operator === 'sw') return left.startsWith(right)
  if (operator === 'ew') return left.endsWith(right)
  const order = Buffer.compare(Buffer.from(left), Buffer.from(right))
  if (operator === 'gt') return order > 0
  if (operator === 'ge') return order >= 0
  if (operator === 'lt') return order < 0
  if (operator === 'le') return order <= 0
  return (order === 0) === (operator === 'eq')
}
