import { toTimestamp } from '../clock.ts'
import { makeId } from '../identifiers.ts'
import type { Door } from '../outbound/index.ts'
import { type Attempt, makeAttempt } from './attempt.ts'
import {
  type ClaimedDelivery,
  claimDeliveries,
  nextLaneDue,
  rescueExpired,
  type Settlement,
  sweepLanes,
} from './delivery-store.ts'
import { type PrepareDependencies, prepareClaimed } from './prepare.ts'
import type { RetrySettings } from './retry-schedule.ts'
import { createSettler } from './settler.ts'

/** A claim is for so long; it exceeds the longest webhook timeout (20 s), so a living worker always settles in time. */
const leaseMs = 25_000
/** The backstop for wake-ups that were lost with their process; an idle worker reads nothing in between. */
const sweepIntervalMs = 15_000
/** After an error of the database, doubling. */
const errorDelay = { initialMs: 100, maxMs: 10_000 }
/** How long a stop waits for the calls in flight. The others are broken off and handed back. */
const stopWaitMs = 4_000
/** For handing back; what is not handed back by then is taken back after its lease by whoever runs next. */
const handBackMs = 1_000

export type WorkerDependencies = PrepareDependencies & {
  door: Door
  baseUrl: string
  retry: RetrySettings
  callsPerWebhook: number
  callsInAll: number
  /** No other worker runs on this database: what is in flight when this one starts was a dead one's. */
  isAlone: boolean
  onAttempted?: (outcome: string) => void
}

export type Worker = {
  /** Something may have become due. */
  look(): void
  start(): void
  /** Stops claiming, waits a bounded time for the calls in flight, breaks off and hands back the rest. Closes the door. */
  stop(): Promise<void>
}

export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, clock, door, callsPerWebhook, callsInAll, log } = dependencies
  const settler = createSettler({
    ...dependencies,
    onError: (err) => log.error({ err }, 'settling failed, tried again'),
  })
  const inFlight = new Set<Promise<void>>()
  let signal = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let stopping = false
  let lastSweepAt = Number.NEGATIVE_INFINITY

  const look = () => signal.resolve()

  const run = async () => {
    let delayMs = errorDelay.initialMs
    while (!stopping) {
      try {
        const isIdle = await turn()
        delayMs = errorDelay.initialMs
        if (isIdle) await rest(await idleTime())
      } catch (error) {
        log.error({ err: error }, 'delivery worker waits for the database')
        await rest(delayMs * (0.5 + Math.random() / 2))
        delayMs = Math.min(delayMs * 2, errorDelay.maxMs)
      }
    }
  }

  /** One round: sweep if it is time, claim, begin the attempts. Gives whether nothing was due. */
  const turn = async (): Promise<boolean> => {
    signal = Promise.withResolvers()
    const now = clock.now()
    if (performance.now() - lastSweepAt >= sweepIntervalMs) await sweep(now)
    const slots = callsInAll - inFlight.size
    if (slots <= 0) return true
    const claimed = await claimDeliveries(database.write, {
      now: toTimestamp(now),
      leaseEnd: toTimestamp(now + leaseMs),
      claim: makeId(now),
      callsPerWebhook,
      slots,
    })
    await begin(claimed)
    return claimed.length === 0
  }

  const sweep = async (now: number) => {
    const isFirst = lastSweepAt === Number.NEGATIVE_INFINITY
    const before = isFirst && dependencies.isAlone ? now + leaseMs : now
    const rescued = await rescueExpired(database.write, toTimestamp(now), toTimestamp(before))
    if (rescued > 0) log.info({ rescued }, 'deliveries of a lost worker taken back')
    await sweepLanes(database.write, toTimestamp(now), callsPerWebhook)
    lastSweepAt = performance.now()
  }

  const begin = async (claimed: ClaimedDelivery[]) => {
    if (claimed.length === 0) return
    const prepared = await prepareClaimed(claimed, dependencies)
    for (const next of prepared) {
      const call = conclude(next).finally(() => {
        inFlight.delete(call)
        look()
      })
      inFlight.add(call)
    }
  }

  const conclude = async (next: Attempt | Settlement) => {
    const settlement = 'delivery' in next && 'payload' in next ? await makeAttempt(next, dependencies) : next
    if (settlement.attempt) logAttempt(log, settlement)
    if (settlement.attempt) dependencies.onAttempted?.('status' in settlement ? settlement.status : 'retried')
    await settler.settle(settlement)
  }

  /** Until the next lane is due, but no longer than until the next sweep. */
  const idleTime = async (): Promise<number> => {
    const untilSweep = lastSweepAt + sweepIntervalMs - performance.now()
    if (inFlight.size >= callsInAll) return untilSweep
    const due = await nextLaneDue(database.write)
    return due === undefined ? untilSweep : Math.min(untilSweep, due - clock.now())
  }

  const rest = async (ms: number) => {
    if (stopping) return
    const timer = setTimeout(look, Math.max(0, ms))
    await signal.promise
    clearTimeout(timer)
  }

  /** All calls in flight settled, or `ms` over. */
  const ended = (ms: number) =>
    Promise.race([Promise.all(inFlight), new Promise((resolve) => setTimeout(resolve, ms).unref())])

  return {
    look,
    start: () => {
      running = run()
    },
    stop: async () => {
      stopping = true
      look()
      await running
      await ended(stopWaitMs)
      await door.close()
      await ended(handBackMs)
    },
  }
}

/** One line tells one attempt. Never a header, a body or a secret. */
function logAttempt(log: WorkerDependencies['log'], settlement: Settlement) {
  const { delivery, attempt, failed } = settlement
  const { answer: _, ...shown } = (attempt ?? {}) as { answer?: string }
  const line = {
    organization_id: delivery.organizationId,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    trigger_name: delivery.triggerName,
    ...shown,
    ...('status' in settlement
      ? { status: settlement.status, reason: settlement.reason }
      : { next: settlement.retryAt }),
  }
  if (failed) log.info(line, 'delivery attempt failed')
  else log.debug(line, 'delivery attempt')
}
