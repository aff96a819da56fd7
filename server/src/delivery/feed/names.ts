import { Type } from 'typebox'
import { badRequest } from '../../ground/errors.ts'
import { rule } from '../../ground/http/chain/schemas.ts'
import { type EventName, eventNames } from '../events/index.ts'

const Pattern = Type.String({
  maxLength: 200,
  ...rule('must be the name of an event, or the beginning of names with * at its end'),
  examples: ['Person*'],
})

/** The filter `event_name` of a query. */
export const EventNames = Type.Union([Pattern, Type.Array(Pattern, { maxItems: 50 })], {
  description: 'Only events of this name; may end in `*`, and may be repeated. Absent: all events.',
  ...rule('must be the name of an event, or the beginning of names with * at its end, at most 50 times'),
})

/** The events that the patterns mean, each a name or the beginning of names with `*`. Undefined: all. Throws a 400. */
export function namesOf(patterns: string | string[] | undefined): EventName[] | undefined {
  if (patterns === undefined) return undefined
  const all = [patterns].flat()
  const unknown = all.filter((pattern) => !eventNames.some(fits(pattern)))
  if (unknown.length > 0)
    throw badRequest(
      'invalid_value',
      ...unknown.map(
        (pattern) => `event_name: no event has the name ${JSON.stringify(pattern)}; names are ${eventNames.join(', ')}`,
      ),
    )
  const names = eventNames.filter((name) => all.some((pattern) => fits(pattern)(name)))
  return names.length === eventNames.length ? undefined : names
}

const fits = (pattern: string) => (name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
