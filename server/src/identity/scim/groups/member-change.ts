import { invalidFilter, invalidPath } from '../errors.ts'
import type { Filter } from '../filter/filter.ts'
import { matches } from '../filter/matches.ts'
import type { Operation } from '../patch/operation.ts'
import type { Resource } from '../schema/attributes.ts'

/** Who comes and who goes, by ids in lower case. `isWhole`: whoever does not come goes. */
export type MemberChange = { isWhole: boolean; joining: Set<string>; leaving: Set<string> }

/** Exactly those of the resource. */
export const allMembers = ({ members }: Resource): MemberChange => ({
  isWhole: true,
  joining: new Set(idsOf(members)),
  leaving: new Set(),
})

/** What operations on `members` come to, one after the other, without a look at who is in the group. */
export function memberChangeOf(operations: Operation[]): MemberChange {
  const change = { isWhole: false, joining: new Set<string>(), leaving: new Set<string>() }
  for (const operation of operations) {
    if (operation.op === 'remove') remove(change, operation)
    else add(change, operation)
  }
  return change
}

function add(change: MemberChange, { op, sub, filter, value }: Operation) {
  if (sub || filter) throw invalidPath('members: whole members are added, without a filter')
  if (op === 'replace') empty(change)
  for (const id of idsOf(value)) {
    change.joining.add(id)
    change.leaving.delete(id)
  }
}

function remove(change: MemberChange, { sub, filter, value }: Operation) {
  if (sub) throw invalidPath('members: whole members are removed')
  if (!filter && value === undefined) return empty(change)
  for (const id of filter ? idsIn(filter) : idsOf(value)) {
    change.joining.delete(id)
    change.leaving.add(id)
  }
}

function empty(change: MemberChange) {
  change.isWhole = true
  change.joining.clear()
  change.leaving.clear()
}

const idsOf = (members: unknown) => ((members ?? []) as { value: string }[]).map(({ value }) => value.toLowerCase())

/** Those who fit a filter that names them. */
function idsIn(filter: Filter): string[] {
  const named = namedIn(filter)
  if (!named) throw invalidFilter('members: must be chosen by their value: members[value eq "…"]')
  return named.filter((value) => matches(filter, { value, type: 'User' })).map((value) => value.toLowerCase())
}

/** The only ids that may fit it; undefined: it names none. */
function namedIn(filter: Filter): string[] | undefined {
  if (filter.is === 'compare') {
    const { path, operator, value } = filter
    return path.attribute.name === 'value' && operator === 'eq' && typeof value === 'string' ? [value] : undefined
  }
  if (filter.is === 'and') return filter.of.map(namedIn).find((each) => each !== undefined)
  if (filter.is !== 'or') return undefined
  const parts = filter.of.map(namedIn)
  return parts.every((each) => each !== undefined) ? parts.flat() : undefined
}
