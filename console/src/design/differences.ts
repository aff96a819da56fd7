export type FieldDifference = { name: string; before: unknown; after: unknown }

/** Member by member, where two states of a record differ. */
export function differencesBetween(before: object, after: object): FieldDifference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const sides = names.map((name) => ({
    name,
    before: (before as Record<string, unknown>)[name],
    after: (after as Record<string, unknown>)[name],
  }))
  return sides.filter((side) => JSON.stringify(side.before) !== JSON.stringify(side.after))
}

/** The members that differ: only they are sent, so that two administrators do not undo each other's changes. */
export const changedMembers = <Stored extends object>(before: Stored, after: Partial<Stored>): Partial<Stored> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Stored]),
    ),
  ) as Partial<Stored>

export const isEmpty = (members: object) => Object.keys(members).length === 0

/** That a secret differs is shown, and the names that it has, but none of its values. */
export const concealed = (differences: readonly FieldDifference[], secrets: readonly string[] = []) =>
  differences.map(({ name, before, after }) =>
    secrets.includes(name) ? { name, before: masked(before), after: masked(after) } : { name, before, after },
  )

const masked = (value: unknown): unknown =>
  value && JSON.parse(JSON.stringify(value), (_, member) => (typeof member === 'string' ? '••••' : member))
