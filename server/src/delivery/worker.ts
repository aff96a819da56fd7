import { toTimestamp } from '../clock.ts'
import { makeId } from '../identifiers.ts'
import type { Door } from '../outbound/index.ts'
import { type Attempt, type Conclusion, handBack, makeAttempt } from './attempt.ts'
import type { CallCaps } from './call-caps.ts'
import { createCallSlots, type WaitingCall } from './call-slots.ts'
import { type ClaimedDelivery, claimDeliveries, type LaneKey, nextLaneDue } from './claim-store.ts'
import { createHeld } from './held.ts'
import { logConclusion } from './log-conclusion.ts'
import { type PrepareDependencies, prepareClaimed } from './prepare.ts'
import { rescueBatch, rescueDeliveries, sweepLanes } from './rescue-store.ts'
import type { RetrySettings } from './retry-schedule.ts'
import { createSettler } from './settler.ts'
import type { OnStep } from './steps.ts'

/** A claim is for so long; it exceeds the longest webhook timeout (20 s), so a living worker always settles in time. */
const leaseMs = 25_000
/** What was claimed and has waited for a call for so long is given back: its receiver became slow. */
const maxWaitMs = 1_000
/** The backstop for wake-ups that were lost with their process; an idle worker reads nothing in between. */
const sweepIntervalMs = 15_000
/** After an error of the database, doubling, with jitter. */
const errorDelay = { initialMs: 100, maxMs: 10_000 }
/** How long a stop waits for the calls in flight. The others are broken off and handed back. */
const stopWaitMs = 4_000
/** For handing back; what is not handed back by then is taken back after its lease by whoever runs next. */
const handBackMs = 1_000
/** A receiver that failed rests for this share of the first retry delay: a second of the standard minute. */
const restShare = 1 / 60

export type WorkerDependencies = PrepareDependencies & {
  door: Door
  baseUrl: string
  retry: RetrySettings
  caps: CallCaps
  /** A webhook whose calls have all failed for so long is paused. */
  pauseAfterMs: number
  /** No other worker runs on this database: what is in flight when this one starts was a dead one's. */
  isAlone: boolean
  /** Names this worker. */
  owner: string
  onStep: OnStep
  onAttempted?: (outcome: string) => void
}

export type Worker = {
  /** A lane may have become due. */
  look(): void
  /** Gives back what it has not begun to call of that webhook or organization. */
  recall(id: string): void
  /** Has so much to do that another worker should look as well. */
  isBusy(): boolean
  start(): void
  /** Stops claiming, waits a bounded time for the calls in flight, breaks off and hands back the rest. Closes the door. */
  stop(): Promise<void>
}

export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, clock, door, caps, log, owner, onStep, retry } = dependencies
  let signal = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let stopping = false
  let nextSweepAt = 0
  /** By the clock; while it does not rest, any lane that is due is news. */
  let wakesAt = Number.POSITIVE_INFINITY

  const look = () => signal.resolve()
  const held = createHeld(caps, look)
  const slots = createCallSlots(caps)
  const works = new Set<Promise<void>>()
  const settler = createSettler({
    ...{ database, clock },
    callsPerWebhook: caps.perWebhook,
    restMs: retry.initialMs * restShare,
    pauseAfterMs: dependencies.pauseAfterMs,
    onDue: (at) => at < wakesAt && look(),
    onSettled: () => onStep('settled'),
    onError: (err) => log.error({ err }, 'settling failed, tried again'),
  })
  let patience: NodeJS.Timeout | undefined
  /** Recalled since the claim that is under way read where to call. */
  const recalled = new Set<string>()
  const isOf = ({ webhookId, organizationId }: LaneKey, ids: Set<string>) =>
    ids.has(webhookId) || ids.has(organizationId)

  const run = async () => {
    let delayMs = errorDelay.initialMs
    while (!stopping) {
      try {
        signal = Promise.withResolvers()
        await sweepIfTime()
        const more = await claim()
        delayMs = errorDelay.initialMs
        if (!more) await rest(await untilNextDue())
      } catch (error) {
        log.error({ err: error }, 'delivery worker waits for the database')
        await rest(delayMs * (0.5 + Math.random() / 2))
        delayMs = Math.min(delayMs * 2, errorDelay.maxMs)
      }
    }
  }

  const sweepIfTime = async () => {
    if (performance.now() < nextSweepAt) return
    const isFirst = nextSweepAt === 0
    const now = clock.now()
    await rescueAll(toTimestamp(now), toTimestamp(isFirst && dependencies.isAlone ? now + leaseMs : now))
    await sweepLanes(database.write, toTimestamp(now))
    nextSweepAt = performance.now() + sweepIntervalMs
  }

  const rescueAll = async (now: string, before: string) => {
    for (;;) {
      const rescued = await rescueDeliveries(database.write, before, now)
      if (rescued > 0) log.info({ rescued }, 'deliveries of a lost worker taken back')
      if (rescued < rescueBatch) return
    }
  }

  /** Gives whether another claim at once would find something. */
  const claim = async (): Promise<boolean> => {
    const claimable = held.claimable()
    if (claimable.most === 0 && claimable.mostUnproven === 0) return false
    const now = clock.now()
    const leaseEnd = toTimestamp(now + leaseMs)
    const options = { now: toTimestamp(now), leaseEnd, claim: makeId(now), owner, claimable }
    const { deliveries, more } = await claimDeliveries(database.write, options)
    if (deliveries.length > 0) await begin(deliveries)
    return more
  }

  const begin = async (claimed: ClaimedDelivery[]) => {
    onStep('claimed')
    recalled.clear()
    const prepared = await prepareClaimed(claimed, dependencies)
    onStep('prepared')
    const calls: WaitingCall[] = []
    for (const next of prepared) {
      if ('settlement' in next) hold(next.settlement.delivery, conclude(next))
      else calls.push(toWaitingCall(next))
    }
    const { true: gone = [], false: present = [] } = Object.groupBy(calls, (call) => `${isOf(call, recalled)}`)
    for (const call of gone) call.giveBack()
    slots.add(present)
  }

  const toWaitingCall = (attempt: Attempt): WaitingCall => {
    const { delivery } = attempt
    const { promise, resolve } = Promise.withResolvers<void>()
    hold(delivery, promise)
    return {
      ...delivery,
      run: async () => {
        const conclusion = await makeAttempt(attempt, dependencies)
        void conclude(conclusion).then(resolve)
        return conclusion.seen?.succeeded ?? null
      },
      giveBack: (seen) => void conclude(handBack(delivery, clock.now(), seen)).then(resolve),
    }
  }

  const giveBackSlow = () => {
    const until = performance.now() - maxWaitMs
    slots.giveBack(({ since }) => since <= until, { succeeded: null, durationMs: maxWaitMs })
  }

  const conclude = async (conclusion: Conclusion) => {
    logConclusion(log, conclusion)
    const { settlement, seen } = conclusion
    if (seen) dependencies.onAttempted?.('status' in settlement ? settlement.status : 'retried')
    await settler.settle(conclusion)
  }

  /** Until `work` is over, which is when the delivery is settled. */
  const hold = (delivery: ClaimedDelivery, work: Promise<void>) => {
    held.add(delivery)
    const entry = work.finally(() => {
      works.delete(entry)
      held.remove(delivery)
    })
    works.add(entry)
  }

  /** Until the next lane is due that may be claimed, but no longer than until the next sweep. */
  const untilNextDue = async (): Promise<number> => {
    const due = await nextLaneDue(database.write, owner, held.claimable())
    const untilSweep = nextSweepAt - performance.now()
    return due === undefined ? untilSweep : Math.min(untilSweep, due - clock.now())
  }

  const rest = async (ms: number) => {
    if (stopping) return
    wakesAt = clock.now() + ms
    const timer = setTimeout(look, Math.max(0, ms))
    await signal.promise
    clearTimeout(timer)
    wakesAt = Number.POSITIVE_INFINITY
  }

  /** All that is held settled, or `ms` over. */
  const allSettled = (ms: number) =>
    Promise.race([Promise.all(works), new Promise((resolve) => setTimeout(resolve, ms).unref())])

  return {
    look,
    recall: (id) => {
      recalled.add(id)
      slots.giveBack((call) => isOf(call, new Set([id])))
    },
    isBusy: held.isBusy,
    start: () => {
      running = run()
      patience = setInterval(giveBackSlow, maxWaitMs / 2)
    },
    stop: async () => {
      stopping = true
      clearInterval(patience)
      look()
      await running
      slots.giveBack(() => true)
      await allSettled(stopWaitMs)
      await door.close()
      await allSettled(handBackMs)
    },
  }
}
