import { type Static, Type } from 'typebox'
import { badRequest, conflict } from '../errors.ts'
import { closed, named, rule } from '../http/schemas.ts'
import { type Handle, handleRules, handleTypes, maxHandles, readHandle } from './handle.ts'
import type { StoredHandle } from './person-store.ts'

/** `verified` is undefined where it is not said. */
export type GivenHandle = Handle & { verified: boolean | undefined; position: number }

const properties = {
  type: Type.Enum([...handleTypes], { type: 'string', description: 'What kind of address it is.' }),
  value: Type.String({
    description: 'An e-mail address of at most 254 characters, or a phone number as in E.164, such as +12025550123.',
    examples: ['jo@example.com'],
  }),
}
const verified = Type.Boolean({
  description:
    'Vouched for by an admin key, or by a provider whose word counts. Default: false; in a change, as it was.',
})

export const HandleRecord = named(
  'Handle',
  Type.Object({ ...properties, verified }, { description: 'An address by which a person is known.' }),
)
const NewHandle = named('NewHandle', closed({ ...properties, verified: Type.Optional(verified) }))

export const Handles = Type.Array(NewHandle, {
  maxItems: maxHandles,
  description: `At most ${maxHandles}. Each is unique within the organization, whatever the case of its letters.`,
  ...rule(`must be an array of at most ${maxHandles} handles`),
})

/** What is asked for, as it is stored. Throws a 400 that names each handle that breaks its rule or is given twice. */
export function readHandles(given: (Static<typeof Handles>[number] | undefined)[]): GivenHandle[] {
  const problems: string[] = []
  const places = new Map<string, string>()
  const handles = given.flatMap((one, position) => {
    if (!one?.type || one.value === undefined) return []
    const { type, value, verified } = one
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

/** Who vouches for each one now: an admin key where it says so, and whoever did before where nothing is said. */
export const judgeHandles = (
  given: GivenHandle[],
  before: Pick<StoredHandle, 'type' | 'key' | 'verified' | 'vouchedBy'>[] = [],
) =>
  given.map(({ verified, ...handle }): StoredHandle => {
    if (verified !== undefined) return { ...handle, verified, vouchedBy: verified ? 'admin_key' : null }
    const known = before.find(({ type, key }) => type === handle.type && key === handle.key)
    return { ...handle, verified: known?.verified ?? false, vouchedBy: known?.vouchedBy ?? null }
  })

/** Throws a 409 that names the place of each handle that was not stored: another person has it. */
export function refuseTaken(handles: { position: number }[], storedPositions: number[]) {
  const taken = handles.filter(({ position }) => !storedPositions.includes(position))
  if (taken.length > 0) throw conflict(...taken.map(({ position }) => `${placeOf(position)}: is already in use`))
}

const placeOf = (position: number) => `handles[${position}].value`
