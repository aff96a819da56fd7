import type { LogPosition } from '../../../ground/database/log-position.ts'
import type { Primary } from '../../../ground/database/primary.ts'
import { createReader } from '../../../ground/database/reader.ts'
import { consistencyNotReached } from '../../../ground/errors.ts'
import { type Progress, readProgress } from './region-store.ts'

/** Between two reads while a request has waited for less than `briskForMs`: most are done by the second read. */
const briskEveryMs = 2
const briskForMs = 20
/** Between two reads when all requests have waited for longer. */
const steadyEveryMs = 20
/** After a failed read: the primary is unavailable, or is being replaced. */
const retryEveryMs = 100
/** A connection without an answer for this long is abandoned. */
const answerWithinMs = 2_000

type ReplayPoller = {
  /**
   * Waits until all regions have replayed the log up to `position`. Throws `consistencyNotReached` when `signal` aborts, and
   * when the primary is on another timeline, which may lack the change.
   */
  replayed(position: LogPosition, signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

type Waiter = { position: LogPosition; end(isReached: boolean): void }

/**
 * Polls the progress of the regions on one connection for all waiting requests, and only while there are any. When the
 * connection breaks they go on waiting: the next one may lead to another primary.
 */
export function createReplayPoller(primary: Primary, regions: string[]): ReplayPoller {
  const waiters = new Set<Waiter>()
  let reader = createReader(primary, { timeoutMs: answerWithinMs })
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

  /** Never later than already planned, so that a stream of new requests does not postpone it. */
  const plan = () => {
    const at = readAt + everyMs()
    if (isReading || waiters.size === 0 || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(poll, Math.max(0, at - performance.now()))
  }

  const poll = async () => {
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

  /** A change was committed by a later primary than the one on this connection. */
  const isOvertaken = ({ timeline }: Progress) => [...waiters].some(({ position }) => position.timeline > timeline)

  const connectAnew = () => {
    reader.close().catch(() => {})
    reader = createReader(primary, { timeoutMs: answerWithinMs })
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
