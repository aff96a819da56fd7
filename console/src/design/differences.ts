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

/** That a secret differs is shown, and the names that it has, but none of its values. */
export const concealed = (differences: readonly FieldDifference[], secrets: readonly string[] = []) =>
  differences.map(({ name, before, after }) =>
    secrets.includes(name) ? { name, before: masked(before), after: masked(after) } : { name, before, after },
  )

const masked = (value: unknown): unknown =>
  value && JSON.parse(JSON.stringify(value), (_, member) => (typeof member === 'string' ? '••••' : member))
