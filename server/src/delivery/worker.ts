import { toTimestamp } from '../clock.ts'
import type { Queries } from '../database/database.ts'
import { makeId } from '../identifiers.ts'
import type { Door } from '../outbound/index.ts'
import type { Arming } from './arming.ts'
import { attemptDelivery, type Conclusion, handBack, type Prepared, type Seen } from './attempt.ts'
import { createBackoff, heldDelay } from './backoff.ts'
import { createBell } from './bell.ts'
import type { CallCaps } from './call-caps.ts'
import { createCallSlots, type WaitingCall } from './call-slots.ts'
import { createClaimBudget } from './claim-budget.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-store.ts'
import { type LaneKey, nextLaneDue } from './lane-store.ts'
import { leaseMs } from './lease.ts'
import { logConclusion } from './log-conclusion.ts'
import { type PrepareDependencies, prepareClaimed } from './prepare.ts'
import type { RetrySettings } from './retry-schedule.ts'
import { createSettler } from './settler.ts'
import type { OnStep } from './steps.ts'
import { createSweep } from './sweep.ts'

/** What was claimed and has waited for a call for so long is handed back: its receiver became slow. */
const maxWaitMs = 1_000
/** After an error of the database. */
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
  /** Done with each claim, which then sees it. */
  arming: Arming
  onStep: OnStep
  onAttempted?: (outcome: string) => void
}

export type Worker = {
  /** A lane may have become due, or is to be armed. Gives whether it will look: one that stops does not. */
  look(): boolean
  /** Hands back what it has not begun to call of that webhook or organization. */
  recall(id: string): void
  start(): void
  /** Stops claiming, waits a bounded time for the calls in flight, breaks off and hands back the rest. Closes the door. */
  stop(): Promise<void>
}

/** Claims, prepares, calls and concludes, until it is stopped: `docs/delivery-states.md`. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, clock, door, caps, log, owner, onStep, retry, arming } = dependencies
  const bell = createBell(clock)
  const budget = createClaimBudget(caps, bell.ring)
  const slots = createCallSlots(caps)
  const sweep = createSweep(dependencies, bell.ring)
  const settler = createSettler({
    database,
    clock,
    callsPerWebhook: caps.perWebhook,
    restMs: retry.initialMs * restShare,
    pauseAfterMs: dependencies.pauseAfterMs,
    onDue: bell.ringIfBefore,
    onSettled: () => onStep('settled'),
    onError: (err) => log.error({ err }, 'what became of deliveries could not be written'),
  })
  /** For lanes that cannot be claimed or armed, though it is time. */
  const held = createBackoff(heldDelay)
  const unsettled = new Set<Promise<void>>()
  /** Ids of webhooks and organizations, while a claim that is under way may have read where to call before. */
  let recalled: Set<string> | undefined
  let running: Promise<void> | undefined
  let patience: NodeJS.Timeout | undefined
  let isStopping = false

  const run = async () => {
    const backoff = createBackoff(errorDelay)
    while (!isStopping) {
      try {
        bell.listen()
        sweep.begin()
        const more = await claim()
        backoff.reset()
        if (!more) await sleep(await untilNextDue())
      } catch (error) {
        log.error({ err: error }, 'delivery worker waits for the database')
        await sleep(backoff.next())
      }
    }
  }

  /** Gives whether another claim at once would find something. */
  const claim = async (): Promise<boolean> => {
    const claimable = budget.claimable()
    const now = clock.now()
    const leaseEnd = toTimestamp(now + leaseMs)
    const options = { now: toTimestamp(now), leaseEnd, claim: makeId(now), owner, claimable }
    const arm = (queries: Queries) => arming.arm(queries, () => !budget.isScarce())
    if (claimable.quick.most === 0 && claimable.others.most === 0) {
      await arm(database.write)
      return false
    }
    const { result, committed } = await database.early(arm, (queries) => claimDeliveries(queries, options))
    if (result.deliveries.length > 0) await begin(result.deliveries, committed)
    return result.more
  }

  /** What is needed is read while the claim's commit waits for the disk. */
  const begin = async (claimed: ClaimedDelivery[], committed: Promise<void>) => {
    held.reset()
    recalled = new Set()
    const prepared = await prepare(claimed, committed)
    onStep('prepared')
    const calls: WaitingCall[] = []
    for (const next of prepared) {
      if ('settlement' in next) keep(next.settlement.delivery, conclude(next))
      else if (isOf(next.delivery, recalled)) keep(next.delivery, conclude(handBack(next.delivery, clock.now())))
      else calls.push(toWaitingCall(next))
    }
    recalled = undefined
    slots.add(calls)
  }

  /** What cannot be read now goes back, and the error on: the loop waits before it claims again. */
  const prepare = async (claimed: ClaimedDelivery[], committed: Promise<void>) => {
    const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, dependencies)])
    if (commit.status === 'rejected') throw commit.reason
    onStep('claimed')
    if (read.status === 'fulfilled') return read.value
    for (const delivery of claimed) keep(delivery, conclude(handBack(delivery, clock.now())))
    throw read.reason
  }

  const toWaitingCall = (prepared: Prepared): WaitingCall => {
    const { delivery } = prepared
    const { promise, resolve } = Promise.withResolvers<void>()
    keep(delivery, promise)
    return {
      ...delivery,
      run: async () => {
        const conclusion = await attemptDelivery(prepared, dependencies)
        void conclude(conclusion).then(resolve)
        return conclusion.seen
      },
      handBack: (seen?: Seen) => void conclude(handBack(delivery, clock.now(), seen)).then(resolve),
    }
  }

  const conclude = async (conclusion: Conclusion) => {
    logConclusion(log, conclusion)
    const { settlement } = conclusion
    if (settlement.attempt) dependencies.onAttempted?.('status' in settlement ? settlement.status : 'retried')
    await settler.settle(conclusion)
  }

  /** Counts it as this process's until `settled`. */
  const keep = (delivery: ClaimedDelivery, settled: Promise<void>) => {
    budget.add(delivery)
    const entry = settled.finally(() => {
      unsettled.delete(entry)
      budget.remove(delivery)
    })
    unsettled.add(entry)
  }

  const handBackSlow = () => {
    const until = performance.now() - maxWaitMs
    slots.handBack(({ since }) => since <= until, { waitedMs: maxWaitMs })
  }

  /** Until the next lane is due that may be claimed, but no longer than until the next sweep. */
  const untilNextDue = async (): Promise<number> => {
    const due = await nextLaneDue(database.write, owner, budget.claimable())
    const ms = due === undefined ? sweep.untilNext() : Math.min(sweep.untilNext(), due - clock.now())
    if (ms > 0 && !arming.isNeeded()) held.reset()
    return ms > 0 && !arming.isNeeded() ? ms : held.next()
  }

  const sleep = async (ms: number) => {
    if (!isStopping) await bell.sleep(ms)
  }

  const allSettled = (ms: number) =>
    Promise.race([Promise.all(unsettled), new Promise((resolve) => setTimeout(resolve, ms).unref())])

  return {
    look: () => {
      bell.ring()
      return !isStopping
    },
    recall: (id) => {
      recalled?.add(id)
      slots.handBack((call) => isOf(call, new Set([id])))
    },
    start: () => {
      running = run()
      patience = setInterval(handBackSlow, maxWaitMs / 2)
    },
    stop: async () => {
      isStopping = true
      clearInterval(patience)
      bell.ring()
      await running
      await arming.arm(database.write, () => false)
      await sweep.ended()
      slots.handBack(() => true)
      await allSettled(stopWaitMs)
      await door.close()
      await allSettled(handBackMs)
    },
  }
}

const isOf = ({ webhookId, organizationId }: LaneKey, ids: Set<string>) => ids.has(webhookId) || ids.has(organizationId)
