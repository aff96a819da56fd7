/** Claims for one kind of receivers until it is stopped: sleeps until something is due, and waits when the database is away. */
import { setTimeout as wait } from 'node:timers/promises'
import { createBackoff } from './backoff.ts'
import type { createBell } from './bell.ts'
import type { Claimer } from './claimer.ts'
import type { LogLine } from './prepare.ts'
import type { createSweep } from './sweep.ts'

/**
 * After a claim, when more was published or settled meanwhile: what is published in this pause is claimed with it, and what
 * was before it, by one claim. Single events of 20 callers take 6 % less of the processors than with a pause of 8 ms after
 * claims of eight and more (measured). Where few are published, none of them waits for it; receivers that are not quick have a
 * longer pause anyway.
 */
const gatherMs = 16
/** After an error of the database. */
const errorDelay = { initialMs: 100, maxMs: 10_000 }
/** Of that delay, before a ring may end it: claims that are handed back because they cannot be read ring each time. */
const deafShare = 0.1
/** An error so long after the one before is the first of another trouble. */
const calmMs = 2 * errorDelay.maxMs

type Parts = {
  bell: ReturnType<typeof createBell>
  sweep: Pick<ReturnType<typeof createSweep>, 'begin'>
  claimer: Claimer
  log: { error: LogLine }
}

export function createClaimLoop({ bell, sweep, claimer, log }: Parts) {
  const backoff = createBackoff(errorDelay)
  let running: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let isIdle = false
  let isStopping = false

  const run = async () => {
    while (!isStopping) {
      try {
        bell.listen()
        sweep.begin()
        const { found, more } = await claimer.claim()
        // One that finds nothing does not show that what is claimed could be read.
        if (found > 0) backoff.reset()
        if (more) continue
        if (!bell.hasRung()) await sleepUntilDue()
        else if (found > 0) await idle(() => wait(gatherMs))
      } catch (error) {
        log.error({ err: error }, 'delivery worker waits for the database')
        await backOff()
      }
    }
  }

  const sleepUntilDue = async () => {
    const { ms, isDue } = await claimer.untilNextDue()
    await (isDue ? sleep(ms) : idle(() => sleep(ms)))
  }

  const idle = async (waiting: () => Promise<void>) => {
    isIdle = true
    await waiting()
    isIdle = false
  }

  const backOff = async () => {
    if (performance.now() - failedAt > calmMs) backoff.reset()
    failedAt = performance.now()
    const ms = backoff.next()
    if (!isStopping) await wait(ms * deafShare)
    await sleep(ms * (1 - deafShare))
  }

  const sleep = async (ms: number) => {
    if (!isStopping) await bell.sleep(ms)
  }

  return {
    /** It waits, and is kept from nothing that is due. */
    isIdle: () => isIdle,
    start: () => {
      running = run()
    },
    stop: async () => {
      isStopping = true
      bell.ring()
      await running
    },
  }
}
