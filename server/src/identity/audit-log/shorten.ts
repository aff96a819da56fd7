/** Of a list that is longer, an entry keeps so many of those that stayed, and all that were added or removed. */
const maxStayed = 100

type Thing = Record<string, unknown>
type Sides = { before?: Thing | undefined; after?: Thing | undefined }

/**
 * Shortens long lists on both sides alike, so that they differ in what the change added or removed and in nothing else. How many
 * there were is in `<name>_count`.
 */
export const shorten = ({ before, after }: Sides): Sides => ({
  before: before && shortenSide(before, after),
  after: after && shortenSide(after, before),
})

const shortenSide = (thing: Thing, other: Thing | undefined): Thing =>
  Object.fromEntries(
    Object.entries(thing).flatMap(([name, value]) => {
      if (!Array.isArray(value)) return [[name, value]]
      const kept = keptOf(value, other?.[name])
      return kept.length === value.length
        ? [[name, value]]
        : [
            [name, kept],
            [`${name}_count`, value.length],
          ]
    }),
  )

/** The first that stayed are the same on both sides where the lists have the same order, as those of groups and persons do. */
function keptOf(list: unknown[], other: unknown): unknown[] {
  const others = new Set(Array.isArray(other) ? other.map((each) => JSON.stringify(each)) : [])
  let stayed = 0
  return list.filter((each) => !others.has(JSON.stringify(each)) || stayed++ < maxStayed)
}
