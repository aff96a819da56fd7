/** How many connections one pool can do with, and how many it can use. */
export type Wish = { least: number; most: number }

export type Allotment<Name extends string> = Record<Name, number>

/**
 * Divides `total` connections: in the order of `wishes` each gets its least, and what is left goes round, one at a time. Nobody gets
 * less than its least, so the sum is above a `total` that is too small for that.
 */
export function allot<Name extends string>(wishes: Record<Name, Wish>, total: number): Allotment<Name> {
  const names = Object.keys(wishes) as Name[]
  const allotment = Object.fromEntries(names.map((name) => [name, wishes[name].least])) as Allotment<Name>
  for (let left = total - leastOf(wishes), hungry = names; left > 0 && hungry.length > 0; ) {
    hungry = hungry.filter((name) => allotment[name] < wishes[name].most)
    for (const name of hungry.slice(0, left)) allotment[name]++
    left -= hungry.length
  }
  return allotment
}

export const leastOf = (wishes: Record<string, Wish>): number => sumOf(wishes, ({ least }) => least)
export const mostOf = (wishes: Record<string, Wish>): number => sumOf(wishes, ({ most }) => most)

const sumOf = (wishes: Record<string, Wish>, count: (wish: Wish) => number): number =>
  Object.values(wishes).reduce((sum, wish) => sum + count(wish), 0)
