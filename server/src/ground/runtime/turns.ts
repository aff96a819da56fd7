import { unavailable } from '../errors.ts'
import { createCounter } from './counter.ts'
import { createFairQueue } from './fair-queue.ts'

type Limits = {
  /** How many do something at once. Asked anew each time. */
  total: () => number
  /** How many of them are of one organization, where `free` more may begin in all. */
  perOrganization: (organizationId: string, free: number) => number
  /** How many wait at most; where there is none, they are bounded by their callers. */
  waiting?: number
}

export type Turns = {
  /** Waits for a turn of the organization, and gives the result of `work`. Throws a 503 where as many wait as may. */
  take<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result>
  /** `otherwise`: there is no turn within `waitMs`, or as many wait as may. */
  takeWithin<Result>(
    waitMs: number,
    organizationId: string,
    work: () => Promise<Result>,
    otherwise: () => Result,
  ): Promise<Result>
  /** To be called when a limit has been raised: those that wait need not wait for the end of another. */
  serve(): void
  running(): number
  waiting(): number
}

/**
 * A few do something at once, of each organization fewer, and organizations take turns: however many of one organization wait, the next
 * one waits for no more than one of it.
 */
export function createTurns({ total, perOrganization, waiting: maxWaiting = Number.POSITIVE_INFINITY }: Limits): Turns {
  const queue = createFairQueue<() => void>()
  const running = createCounter()

  const isFree = (organizationId: string) => {
    const free = total() - running.total()
    return free > 0 && running.of(organizationId) < perOrganization(organizationId, free)
  }

  /** Several at once where the limits have been raised meanwhile. */
  const serveAll = () => {
    for (const organizationId of queue.organizations()) {
      if (!isFree(organizationId)) continue
      running.add(organizationId)
      queue.take(organizationId)?.()
      return serveAll()
    }
  }

  /** Resolves to whether it has a turn. */
  const wait = async (organizationId: string, waitMs: number | undefined) => {
    if (queue.size() >= maxWaiting) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const begin = () => resolve(true)
    queue.add(organizationId, begin)
    if (waitMs === undefined) return promise
    const timer = setTimeout(() => resolve(!queue.remove(organizationId, begin)), waitMs)
    return promise.finally(() => clearTimeout(timer))
  }

  const takeWithin = async <Result>(
    waitMs: number | undefined,
    organizationId: string,
    work: () => Promise<Result>,
    otherwise: () => Result,
  ) => {
    if (isFree(organizationId) && !queue.has(organizationId)) running.add(organizationId)
    else if (!(await wait(organizationId, waitMs))) return otherwise()
    try {
      return await work()
    } finally {
      running.remove(organizationId)
      serveAll()
    }
  }

  return {
    takeWithin,
    take: (organizationId, work) => takeWithin(undefined, organizationId, work, refuse),
    serve: serveAll,
    running: running.total,
    waiting: queue.size,
  }
}

function refuse(): never {
  throw unavailable()
}
