import { type Static, Type } from 'typebox'
import type { Queries } from '../../ground/database/database.ts'
import { badRequest, conflict, forbidden } from '../../ground/errors.ts'
import { closed, named, rule } from '../../ground/http/chain/schemas.ts'
import { handleRules, handleTypes, maxHandles, readHandle } from './handle.ts'
import { positionsOfTaken, type WrittenHandle } from './handle-store.ts'

const properties = {
  type: Type.Enum([...handleTypes], { type: 'string', description: 'What kind of address it is.' }),
  value: Type.String({
    description: 'An e-mail address of at most 254 characters, or a phone number as in E.164, such as +12025550123.',
    examples: ['jo@example.com'],
  }),
}
const verified = Type.Boolean({
  description:
    'Vouched for by an admin key, the only keys that may set it, or by a provider whose word counts, for as long as it says so. ' +
    'Default: false; in a change, as it was.',
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

/** Throws a 400 that names each handle that breaks its rule or is repeated. */
export function readHandles(inputs: (Static<typeof Handles>[number] | undefined)[]): WrittenHandle[] {
  const problems: string[] = []
  const paths = new Map<string, string>()
  const handles = inputs.flatMap((one, position) => {
    if (!one?.type || one.value === undefined) return []
    const { type, value, verified } = one
    const handle = readHandle(type, value)
    const same = handle && paths.get(type + handle.key)
    if (!handle) problems.push(`${pathOf(position)}: ${handleRules[type]}`)
    else if (same) problems.push(`${pathOf(position)}: is the same as ${same}`)
    else paths.set(type + handle.key, pathOf(position))
    return handle ? [{ ...handle, verified, position }] : []
  })
  if (problems.length > 0) throw badRequest('invalid_value', ...problems)
  return handles
}

/** Throws a 403 that names each handle for which a key that may not vouch says whether it is verified. */
export function requireVoucher(handles: Pick<WrittenHandle, 'verified' | 'position'>[], isAdmin: boolean) {
  const set = isAdmin ? [] : handles.filter(({ verified }) => verified !== undefined)
  if (set.length > 0)
    throw forbidden(
      'admin_required',
      ...set.map(({ position }) => `handles[${position}].verified: must be absent, for only admin keys set it`),
    )
}

/** Throws a 409 that names each handle that another person has. */
export async function refuseTaken(
  queries: Queries,
  organizationId: string,
  personId: string,
  handles: WrittenHandle[],
) {
  const taken = await positionsOfTaken(queries, organizationId, personId, handles)
  if (taken.length > 0)
    throw conflict('already_exists', ...taken.map((position) => `${pathOf(position)}: is already in use`))
}

const pathOf = (position: number) => `handles[${position}].value`
