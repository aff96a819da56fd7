import { createCounter } from './counter.ts'
import { createFairQueue } from './fair-queue.ts'

/** How many do something at once: in all, and of one organization. Asked anew each time. */
type Limits = { total(): number; of(organizationId: string): number }

export type Turns = {
  /** Waits for a turn of the organization, and gives the result of `work`. */
  take<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result>
  /** Undefined: there was none within `waitMs`. */
  takeWithin<Result>(waitMs: number, organizationId: string, work: () => Promise<Result>): Promise<Result | undefined>
  /** To be called when a limit has been raised: those that wait need not wait for the end of another. */
  serve(): void
  running(): number
  waiting(): number
}

/**
 * A few do something at once, of each organization fewer, and organizations take turns: however many of one organization wait, the next
 * one waits for no more than one of it. Those that wait are bounded by their callers.
 */
export function createOrganizationTurns(limits: Limits): Turns {
  const queue = createFairQueue<() => void>()
  const running = createCounter()

  const isFree = (organizationId: string) =>
    running.total() < limits.total() && running.of(organizationId) < limits.of(organizationId)

  /** Several at once where the limits have been raised meanwhile. */
  const serveAll = () => {
    for (const organizationId of queue.organizations()) {
      if (!isFree(organizationId)) continue
      running.add(organizationId)
      queue.take(organizationId)?.()
      return serveAll()
    }
  }

  const wait = (organizationId: string, waitMs: number | undefined) => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => resolve(true)
    queue.add(organizationId, begin)
    if (waitMs === undefined) return promise
    const timer = setTimeout(() => resolve(!queue.remove(organizationId, begin)), waitMs)
    return promise.finally(() => clearTimeout(timer))
  }

  const take = async <Result>(organizationId: string, work: () => Promise<Result>, waitMs?: number) => {
    if (isFree(organizationId) && !queue.has(organizationId)) running.add(organizationId)
    else if (!(await wait(organizationId, waitMs))) return undefined
    try {
      return await work()
    } finally {
      running.remove(organizationId)
      serveAll()
    }
  }

  return {
    take: (organizationId, work) => take(organizationId, work) as ReturnType<typeof work>,
    takeWithin: (waitMs, organizationId, work) => take(organizationId, work, waitMs),
    serve: serveAll,
    running: running.total,
    waiting: queue.size,
  }
}
