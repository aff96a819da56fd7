import type { Change, FieldChange } from './change.ts'
import type { Plan } from './plan.ts'
import { shown } from './shown.ts'

const signs = { create: '+', change: '~', delete: '-' }
const participles = { create: 'Created', change: 'Changed', delete: 'Deleted' }

/** The lines of a plan: each step, and of each field what it is and what it becomes. */
export const describePlan = ({ organizationId, changes, deletions }: Plan): string[] => [
  `Organization ${organizationId}`,
  ...[...changes, ...deletions].flatMap(describeChange),
]

export const summarize = (plans: Plan[]): string => {
  const { create, change, delete: removed } = countChanges(plans)
  return `Plan: ${create} to create, ${change} to change, ${removed} to delete.`
}

export function countChanges(plans: Plan[]) {
  const counts = { create: 0, change: 0, delete: 0 }
  for (const { changes, deletions } of plans) for (const { action } of [...changes, ...deletions]) counts[action]++
  return counts
}

const describeChange = (change: Change): string[] => [
  `  ${signs[change.action]} ${change.action} ${titleOf(change)}`,
  ...change.fields.map((field) => `      ${field.field}: ${describeField(change, field)}`),
]

/** Quotes are around names alone. */
export const titleOf = ({ kind, name, parent }: Pick<Change, 'kind' | 'name' | 'parent'>): string => {
  const own = name === undefined ? kind : `${kind} ${shown(name)}`
  return parent ? `${own} of ${parent.noun} ${shown(parent.name)}` : own
}

export const describeDone = (change: Change) => `${participles[change.action]} ${titleOf(change)}`

function describeField({ action }: Change, { before, after, isHidden }: FieldChange): string {
  if (isHidden) return action === 'create' ? '(not shown)' : '(not shown) → (not shown)'
  return action === 'create' ? shown(after) : `${before === undefined ? 'nothing' : shown(before)} → ${shown(after)}`
}

/** A step as a line of `--json`, without what is hidden. */
export const recordOf = (organizationId: string, { action, kind, name, parent, fields }: Change) => ({
  organization_id: organizationId,
  action,
  kind,
  name,
  ...(parent && { [parent.noun]: parent.name }),
  fields: fields.map(({ field, before, after, isHidden }) =>
    isHidden ? { field, hidden: true } : { field, before, after },
  ),
})
