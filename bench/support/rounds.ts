/** So many callers at once, each with one request open. */
export const clients = 20

export type Operation = 'create' | 'set'

export type Order = {
  operation: Operation
  /** Names of groups made in this round begin with it. */
  series: string
  seconds: number
  /** Of the HTTP server under load. */
  port: number
  organizationId: string
  apiKey: string
  personIds: string[]
}

export type Done = { requests: number; seconds: number }

/** The same for everybody: the nth group to create. */
export const groupToCreate = (series: string, n: number) => `${series}-${n}`

/**
 * The same for everybody: one person after the other, so that no two callers wait for one row. Each time round, three of a
 * person's five groups stay and two are others.
 */
export function groupsToSet(personIds: string[], n: number): { personId: string; groups: string[] } {
  const person = n % personIds.length
  const first = 2 * Math.floor(n / personIds.length)
  const groups = Array.from({ length: 5 }, (_, place) => standingGroup(7 * person + 31 * (first + place)))
  return { personId: personIds[person] as string, groups }
}

export const standingGroups = 1_000
export const standingGroup = (n: number) => `standing-${n % standingGroups}`

/** In a child process: does the rounds that its parent orders, one at a time. Ends with its parent. */
export function obeyOrders(prepare: (order: Order) => Promise<(n: number, client: number) => Promise<void>>) {
  process.on('disconnect', () => process.exit())
  process.on('message', async (order: Order) => {
    const request = await prepare(order)
    const began = performance.now()
    const until = began + order.seconds * 1_000
    let next = 0
    const work = async (_: unknown, client: number) => {
      while (performance.now() < until) await request(next++, client)
    }
    await Promise.all(Array.from({ length: clients }, work))
    process.send?.({ requests: next, seconds: (performance.now() - began) / 1_000 } satisfies Done)
  })
}
