import type { Signet } from '@signet/management'
import type { Check } from './change.ts'
import { type Change, differingFields, type PlanOptions } from './change.ts'
import type { Desired } from './resources.ts'
import type { Actual, Fields, Nested } from './section.ts'

/** The resource that has the list: `name` for people, and the ID, which is known once it was created. */
export type Parent = { noun: string; name: string; id: () => string }
type Planning = { signet: Signet; nested: Nested; parent: Parent }

/** The list of a resource that exists. */
export async function planNested(
  planning: Planning,
  { id }: Actual,
  desired: Desired[],
  { prune }: PlanOptions,
): Promise<Change[]> {
  const { signet, nested } = planning
  const left = new Map((await nested.list(signet, id)).map((actual) => [nested.keyOf(actual), actual]))
  const changes = desired.flatMap((item) => {
    const before = left.get(nested.keyOf(item.fields))
    left.delete(nested.keyOf(item.fields))
    return before ? replacement(planning, before, item) : [creation(planning, item)]
  })
  return [...changes, ...(prune ? [...left.values()].map((item) => deletion(planning, item)) : [])]
}

/** The list of a resource that is new. */
export const createNested = (planning: Planning, desired: Desired[]): Change[] =>
  desired.map((item) => creation(planning, item))

function creation(planning: Planning, desired: Desired): Change {
  const { signet, nested, parent } = planning
  const { fields, hidden } = desired
  const others = Object.entries(fields).filter(([field]) => !nested.required.includes(field))
  return {
    ...titleOf(planning, fields),
    action: 'create',
    fields: others.map(([field, after]) => ({ field, after, isHidden: hidden.has(field) })),
    check: checkOf(planning, desired),
    run: async () => {
      await nested.create(signet, parent.id(), fields)
      return undefined
    },
  }
}

/** The resource that has the list may not be there yet. */
const anyId = '00000000-0000-0000-0000-000000000000'

const checkOf = ({ signet, nested, parent }: Planning, { fields, refuse }: Desired): Check => ({
  send: (more) => nested.create(signet, parent.id() || anyId, { ...fields, ...more }),
  refuse,
})

function replacement(planning: Planning, before: Fields, desired: Desired): Change[] {
  const { signet, nested, parent } = planning
  const fields = differingFields(before, desired, nested)
  if (fields.length === 0) return []
  const run = async () => {
    await nested.remove(signet, parent.id(), desired.fields)
    await nested.create(signet, parent.id(), desired.fields)
    return undefined
  }
  return [{ ...titleOf(planning, desired.fields), action: 'change', fields, check: checkOf(planning, desired), run }]
}

function deletion(planning: Planning, fields: Fields): Change {
  const { signet, nested, parent } = planning
  const run = async () => {
    await nested.remove(signet, parent.id(), fields)
    return undefined
  }
  return { ...titleOf(planning, fields), action: 'delete', fields: [], run }
}

const titleOf = ({ nested, parent: { noun, name } }: Planning, fields: Fields) => ({
  kind: nested.noun,
  name: String(fields[nested.title]),
  parent: { noun, name },
})
