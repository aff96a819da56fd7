import { createCounter } from '../../ground/runtime/counter.ts'

/** Calls that wait for a slot in one process; more fail at once. */
const maxWaiting = 1_000

export type Slots = {
  /** Does the work in a slot of the organization. Undefined when it gets none within `waitMs`. */
  hold<Result>(organizationId: string, waitMs: number, work: () => Promise<Result>): Promise<Result | undefined>
}

type Waiting = { organizationId: string; begin: () => void }

/**
 * Limits how many hooks are called at once. An organization gets a slot only while it has fewer than are left: however many
 * organizations have dead receivers, the next one finds a free slot (a thousand of them have one each). Of those that wait, the one
 * with the fewest slots is served first.
 */
export function createSlots({ total, perOrganization }: { total: number; perOrganization: number }): Slots {
  const used = createCounter()
  const waiting = new Set<Waiting>()

  const mayTake = (organizationId: string) => used.of(organizationId) < Math.min(perOrganization, total - used.total())
  const release = (organizationId: string) => {
    used.remove(organizationId)
    for (let next = first(); next && mayTake(next.organizationId); next = first()) serve(next)
  }
  const first = (): Waiting | undefined => {
    let fewest: Waiting | undefined
    for (const each of waiting)
      if (!fewest || used.of(each.organizationId) < used.of(fewest.organizationId)) fewest = each
    return fewest
  }
  const serve = (next: Waiting) => {
    waiting.delete(next)
    used.add(next.organizationId)
    next.begin()
  }

  /** Returns whether it got a slot. */
  const wait = (organizationId: string, waitMs: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const next = { organizationId, begin: () => resolve(true) }
    waiting.add(next)
    const timer = setTimeout(() => {
      waiting.delete(next)
      resolve(false)
    }, waitMs)
    return promise.finally(() => clearTimeout(timer))
  }

  return {
    hold: async (organizationId, waitMs, work) => {
      if (mayTake(organizationId)) used.add(organizationId)
      else if (waiting.size >= maxWaiting || !(await wait(organizationId, waitMs))) return undefined
      try {
        return await work()
      } finally {
        release(organizationId)
      }
    },
  }
}
