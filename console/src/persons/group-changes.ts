import type { FieldDifference } from '../design/differences.ts'

/** What a change of groups does, group by group. */
export function groupChanges(before: readonly string[], after: readonly string[]): FieldDifference[] {
  const removed = before.filter((name) => !after.includes(name))
  const added = after.filter((name) => !before.includes(name))
  return [
    ...added.map((name) => ({ name, before: undefined, after: 'member' })),
    ...removed.map((name) => ({ name, before: 'member', after: undefined })),
  ]
}
