import { type Static, Type } from 'typebox'
import { badRequest, conflict } from '../errors.ts'
import { closed, rule } from '../http/schemas.ts'
import { handleRules, handleTypes, readHandle } from './handle.ts'
import type { StoredHandle } from './person-store.ts'

const maxHandles = 20

const properties = {
  type: Type.Enum([...handleTypes], { type: 'string' }),
  value: Type.String({
    description: 'An e-mail address of at most 254 characters, or a phone number as in E.164, such as +12025550123.',
  }),
}
const verified = Type.Boolean({ description: 'Vouched for by whoever holds an API key. Default: false.' })

export const HandleRecord = Type.Object({ ...properties, verified })

export const Handles = Type.Array(closed({ ...properties, verified: Type.Optional(verified) }), {
  maxItems: maxHandles,
  description: `At most ${maxHandles}. Each is unique within the organization, whatever the case of its letters.`,
  ...rule(`must be an array of at most ${maxHandles} handles`),
})

/** What is asked for, as it is stored. Throws a 400 that names each handle that breaks its rule or is given twice. */
export function readHandles(given: (Static<typeof Handles>[number] | undefined)[]): StoredHandle[] {
  const problems: string[] = []
  const places = new Map<string, string>()
  const handles = given.flatMap((one, position) => {
    if (!one?.type || one.value === undefined) return []
    const { type, value, verified = false } = one
    const handle = readHandle(type, value)
    const same = handle && places.get(type + handle.key)
    if (!handle) problems.push(`${placeOf(position)}: ${handleRules[type]}`)
    else if (same) problems.push(`${placeOf(position)}: is the same as ${same}`)
    else places.set(type + handle.key, placeOf(position))
    return handle ? [{ ...handle, verified, position }] : []
  })
  if (problems.length > 0) throw badRequest(...problems)
  return handles
}

/** Throws a 409 that names the place of each handle that was not stored: another person has it. */
export function refuseTaken(handles: StoredHandle[], storedPositions: number[]) {
  const taken = handles.filter(({ position }) => !storedPositions.includes(position))
  if (taken.length > 0) throw conflict(...taken.map(({ position }) => `${placeOf(position)}: is already in use`))
}

const placeOf = (position: number) => `handles[${position}].value`
