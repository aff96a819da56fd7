import { isStorable } from '../../../ground/http/chain/validation.ts'
import { invalidValue, tooLarge } from '../errors.ts'

/** Shorter lists stay as they are. */
const minPacked = 1_000
/** Values beside packed lists. */
const maxValues = 10_000
/** No id has it. */
const separator = '\n'

/** `lists`: where the values of long lists belong, which are their ids, one behind the other. */
export type Packed = { body: unknown; lists: { path: (string | number)[]; ids: string }[] }

/** Takes the long lists of members out of a body, of which no more is left than another thread copies in a moment. Throws 413 and 400. */
export function pack(body: unknown): Packed {
  const lists: Packed['lists'] = []
  let values = 0
  const walk = (value: unknown, path: (string | number)[]): unknown => {
    if (++values > maxValues) throw tooLarge('body: beyond 1 MiB must be members and little else')
    if (typeof value !== 'object' || value === null) return value
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, [...path, name])]))
    const ids = value.length >= minPacked ? idsIn(value) : undefined
    if (!ids) return value.map((item, index) => walk(item, [...path, index]))
    lists.push({ path, ids: ids.join(separator) })
    return []
  }
  return { body: walk(body, []), lists }
}

/** Of members: whatever else clients write of them means nothing. Undefined: they are something else. */
function idsIn(list: unknown[]): string[] | undefined {
  const ids = list.map(idOf)
  return ids.every((id) => id !== undefined) ? ids : undefined
}

function idOf(member: unknown): string | undefined {
  const { value, type } = Object.fromEntries(
    Object.entries(Object(member)).map(([name, part]) => [name.toLowerCase(), part]),
  ) as Record<string, unknown>
  const isPerson = type === undefined || type === null || (typeof type === 'string' && type.toLowerCase() === 'user')
  if (typeof value !== 'string' || !isPerson) return undefined
  if (value.includes(separator) || !isStorable(value))
    throw invalidValue('members: an id must be a text of one line, without U+0000')
  return value
}

/** The body with its lists, of which each value is an id. */
export function unpack({ body, lists }: Packed): unknown {
  const whole = { body }
  for (const { path, ids } of lists) {
    const names = ['body', ...path]
    const last = names.pop() as string
    const holder = names.reduce<Record<string, unknown>>(
      (object, name) => object[name] as Record<string, unknown>,
      whole,
    )
    holder[last] = ids.split(separator)
  }
  return whole.body
}
