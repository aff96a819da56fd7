import { isDeepStrictEqual } from 'node:util'
import { isUnset, type Unset } from './reading.ts'
import type { Fields } from './section.ts'

/**
 * The fields that a change compares and sends. A secret whose variable has no value stays as it is; where something else of its
 * field differs, the field would be sent whole, and the variable is refused.
 */
export function withoutUnset(before: Fields, desired: Fields): Fields {
  const kept = Object.entries(desired).filter(
    ([name, value]) => unsetIn(value).length === 0 || !isKept(before[name], value),
  )
  return requireSet(Object.fromEntries(kept))
}

/** Refuses each variable without a value: all of these fields are sent. */
export function requireSet(fields: Fields): Fields {
  const unset = Object.values(fields).flatMap(unsetIn)
  for (const each of unset) each.refuse()
  return fields
}

function unsetIn(value: unknown): Unset[] {
  if (isUnset(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(unsetIn) : []
}

type Headers = Record<string, unknown[]>

/** Whether custom headers are those that are there, as far as their values are known. */
function isKept(before: unknown, after: unknown): boolean {
  if (typeof before !== 'object' || before === null || isUnset(after)) return false
  const [now, then] = [before as Headers, after as Headers]
  if (!isDeepStrictEqual(Object.keys(now).sort(), Object.keys(then).sort())) return false
  return Object.entries(then).every(
    ([name, values]) =>
      values.length === now[name]?.length &&
      values.every((value, index) => isUnset(value) || value === now[name]?.[index]),
  )
}
