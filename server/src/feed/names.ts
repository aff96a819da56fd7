import { badRequest } from '../errors.ts'
import { type EventName, eventNames } from '../events/index.ts'

/** The events that the patterns mean, each a name or the beginning of names with `*`. Undefined: all. Throws a 400. */
export function namesOf(patterns: string | string[] | undefined): EventName[] | undefined {
  if (patterns === undefined) return undefined
  const all = [patterns].flat()
  const unknown = all.filter((pattern) => !eventNames.some(fits(pattern)))
  if (unknown.length > 0)
    throw badRequest(
      ...unknown.map(
        (pattern) =>
          `event_name: ${JSON.stringify(pattern)} must be, or fit with a * at its end, one of ${eventNames.join(', ')}`,
      ),
    )
  const names = eventNames.filter((name) => all.some((pattern) => fits(pattern)(name)))
  return names.length === eventNames.length ? undefined : names
}

const fits = (pattern: string) => (name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
