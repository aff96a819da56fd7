import type { LogPosition } from '../database/log-position.ts'
import type { Primary } from '../database/primary.ts'
import { createReader } from '../database/reader.ts'
import { consistencyNotReached } from '../errors.ts'
import { type Progress, readProgress } from './region-store.ts'

/** Between two reads while somebody has begun to wait just now: most are done by the second. */
const briskEveryMs = 2
const briskForMs = 20
/** And when all have waited for longer. */
const steadyEveryMs = 20
/** After a read that failed: the primary is away, or becomes another one. */
const retryEveryMs = 100
/** A connection that has said nothing for so long is given up. */
const answerWithinMs = 2_000

export type ReplayPoller = {
  /**
   * Waits until all regions have replayed what was committed before `position`. Throws `consistencyNotReached` when
   * `signal` ends it, and when the primary is on another timeline: then nobody knows whether the change is on that.
   */
  replayed(position: LogPosition, signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

type Waiter = { position: LogPosition; end(isReached: boolean): void }

/**
 * Looks on one connection how far the regions are, however many wait; and not at all when nobody does. A connection that
 * breaks ends nobody's waiting: the next one may well lead to another primary.
 */
export function createReplayPoller(primary: Primary, regions: string[]): ReplayPoller {
  const waiters = new Set<Waiter>()
  let reader = createReader(primary, answerWithinMs)
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let isReading = false
  let readAt = 0
  let hasFailed = false
  let youngestAt = 0

  const everyMs = () => {
    if (hasFailed) return retryEveryMs
    return performance.now() - youngestAt < briskForMs ? briskEveryMs : steadyEveryMs
  }

  /** Never later than planned already: those who keep coming do not put it off. */
  const plan = () => {
    const at = readAt + everyMs()
    if (isReading || waiters.size === 0 || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(look, Math.max(0, at - performance.now()))
  }

  const look = async () => {
    dueAt = Number.POSITIVE_INFINITY
    if (waiters.size === 0) return
    isReading = true
    readAt = performance.now()
    const progress = await readProgress(reader, regions).catch(() => undefined)
    isReading = false
    hasFailed = !progress || isOvertaken(progress)
    if (hasFailed) connectAnew()
    else judge(progress as Progress)
    plan()
  }

  /** Somebody's change was committed by a later primary than the one on this connection. */
  const isOvertaken = ({ timeline }: Progress) => [...waiters].some(({ position }) => position.timeline > timeline)

  const connectAnew = () => {
    reader.close().catch(() => {})
    reader = createReader(primary, answerWithinMs)
  }

  const judge = ({ timeline, replayed }: Progress) => {
    for (const { position, end } of waiters) {
      if (position.timeline !== timeline) end(false)
      else if (position.lsn <= replayed) end(true)
    }
  }

  return {
    replayed: (position, signal) =>
      new Promise((resolve, reject) => {
        const leave = () => waiter.end(false)
        const waiter: Waiter = {
          position,
          end: (isReached) => {
            waiters.delete(waiter)
            signal.removeEventListener('abort', leave)
            if (isReached) resolve()
            else reject(consistencyNotReached())
          },
        }
        if (signal.aborted) return leave()
        signal.addEventListener('abort', leave)
        waiters.add(waiter)
        youngestAt = performance.now()
        plan()
      }),
    stop: async () => {
      clearTimeout(timer)
      for (const { end } of waiters) end(false)
      await reader.close()
    },
  }
}
