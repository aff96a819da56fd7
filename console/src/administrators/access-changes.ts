import type { FieldDifference } from '../design/differences.ts'
import { type ConsoleAccess, roleNames } from '../session/roles.ts'

/** What a change of the access does, group by group. */
export function accessChanges(before: ConsoleAccess, after: ConsoleAccess): FieldDifference[] {
  const groups = [...new Set([...before, ...after].map(({ group }) => group))]
  return groups
    .map((name) => ({ name, before: roleName(before, name), after: roleName(after, name) }))
    .filter((change) => change.before !== change.after)
}

function roleName(access: ConsoleAccess, name: string) {
  const role = access.find(({ group }) => group === name)?.role
  return role && roleNames[role]
}

/** A group has one role: another one takes its place. */
export const withRole = (access: ConsoleAccess, { group, role }: ConsoleAccess[number]): ConsoleAccess =>
  access.some((entry) => entry.group === group)
    ? access.map((entry) => (entry.group === group ? { group, role } : entry))
    : [...access, { group, role }]

export const without = (access: ConsoleAccess, group: string): ConsoleAccess =>
  access.filter((entry) => entry.group !== group)

export const hasOwnerGroup = (access: ConsoleAccess) => access.some(({ role }) => role === 'owner')
