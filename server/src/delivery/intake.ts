/**
 * Takes claimed deliveries in: reads what their calls need, signs, and gives them to the slots. What cannot be read, or
 * was recalled meanwhile, is handed back.
 */
import { toTimestamp } from '../clock.ts'
import { type Signing, worthSending } from '../keys/index.ts'
import type { Door } from '../outbound/index.ts'
import {
  attemptDelivery,
  type Conclusion,
  handBack,
  type Prepared,
  type Ready,
  type Seen,
  signAttempts,
} from './attempt.ts'
import type { createCallSlots, WaitingCall } from './call-slots.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { Conclude } from './conclude.ts'
import type { LaneKey } from './lane-store.ts'
import { type PrepareDependencies, prepareClaimed, unreadableDelayMs } from './prepare.ts'
import { createRecalled } from './recalled.ts'
import type { RetrySettings } from './retry-schedule.ts'
import type { OnStep } from './steps.ts'
import type { Unsettled } from './unsettled.ts'

export type IntakeDependencies = PrepareDependencies & {
  door: Door
  signing: Signing
  baseUrl: string
  retry: RetrySettings
  onStep: OnStep
}

type Parts = { slots: ReturnType<typeof createCallSlots>; unsettled: Unsettled; conclude: Conclude }

/** Whoever waits for the intake is told. */
const ignored = () => {}

/** Counted until it ends. */
type Kept = { prepared: Prepared; end: (conclusion: Conclusion) => void }

/** Signed at once, or up to twice as many: these are called while the next are signed. */
const signedAtOnce = 2 * worthSending

export type Intake = ReturnType<typeof createIntake>

export function createIntake(dependencies: IntakeDependencies, { slots, unsettled, conclude }: Parts) {
  const { clock, log, onStep } = dependencies
  const recalled = createRecalled()
  const underWay = new Set<Promise<unknown>>()

  /** What cannot be read now goes back, and the error on: the loop that claimed it waits before it claims again. */
  const prepare = async (claimed: ClaimedDelivery[], committed: Promise<void>) => {
    const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, dependencies)])
    if (commit.status === 'rejected') throw commit.reason
    onStep('claimed')
    if (read.status === 'fulfilled') return read.value
    for (const delivery of claimed) settle(handBack(delivery, clock.now()))
    throw read.reason
  }

  const settle = (conclusion: Conclusion) => unsettled.keep(conclusion.settlement.delivery, conclude(conclusion))

  /** From here on it is counted as this process's. */
  const keep = (prepared: Prepared): Kept => {
    const { promise, resolve } = Promise.withResolvers<void>()
    unsettled.keep(prepared.delivery, promise)
    return { prepared, end: (conclusion) => void conclude(conclusion).then(resolve) }
  }

  /** Gives those that are to be called; the others end. */
  const keepAll = async (claimed: ClaimedDelivery[], committed: Promise<void>): Promise<Kept[]> => {
    const prepared = await prepare(claimed, committed)
    onStep('prepared')
    return prepared.flatMap((next) => {
      if ('delivery' in next) return [keep(next)]
      settle(next)
      return []
    })
  }

  const signAndCall = async (kept: Kept[], since: number): Promise<void> => {
    const waitsSince = performance.now()
    const prepared = kept.map((each) => each.prepared)
    const ready = await signAttempts(prepared, dependencies).catch((error) => unsigned(kept, since, error))
    // Nothing is awaited from here on: a recall finds a delivery before it is in the slots, or in them, never between.
    const calls = ready.flatMap((each, index) => toWaitingCall(each, (kept[index] as Kept).end, since))
    slots.add(calls, waitsSince)
  }

  /** What cannot be signed by itself either waits, like that of an organization whose secrets no master key opens. */
  const unsigned = async (kept: Kept[], since: number, err: unknown): Promise<Ready[]> => {
    if (kept.length > 1) {
      await Promise.all(kept.map((each) => signAndCall([each], since)))
      return []
    }
    log.error({ err }, 'a delivery could not be signed; it waits')
    const retryAt = toTimestamp(clock.now() + unreadableDelayMs)
    for (const { prepared, end } of kept) end({ settlement: { delivery: prepared.delivery, attempt: null, retryAt } })
    return []
  }

  const toWaitingCall = (ready: Ready, end: Kept['end'], since: number): WaitingCall[] => {
    const { organizationId, webhookId, isQuick, room } = ready.delivery
    const handBackWith = (seen?: Seen) => end(handBack(ready.delivery, clock.now(), seen))
    if (wasRecalled(ready.delivery, since)) {
      handBackWith()
      return []
    }
    const run = async () => {
      const conclusion = await attemptDelivery(ready, dependencies)
      end(conclusion)
      return conclusion.seen
    }
    return [{ organizationId, webhookId, isQuick, room, run, handBack: handBackWith }]
  }

  const wasRecalled = ({ webhookId, organizationId }: LaneKey, since: number) =>
    recalled.wasRecalled(webhookId, since) || recalled.wasRecalled(organizationId, since)

  return {
    /**
     * What is needed is read while the claim's commit waits for the disk. Rejects when either fails; done when all is
     * counted, and is being signed. What was recalled `since` goes back: it may have been claimed, or read, before.
     */
    async take(claimed: ClaimedDelivery[], committed: Promise<void>, since = performance.now()): Promise<void> {
      const keeping = keepAll(claimed, committed)
      const taking = keeping
        .then((kept) => Promise.all(partsOf(kept).map((part) => signAndCall(part, since))), ignored)
        .finally(() => underWay.delete(taking))
      underWay.add(taking)
      await keeping
    },

    /** What is being taken in by now is in the slots, or goes back. */
    allTaken: () => Promise.allSettled(underWay),

    /** Hands back what is not begun to be called of that webhook or organization. */
    recall(id: string) {
      recalled.add(id, performance.now())
      slots.handBack(({ webhookId, organizationId }) => webhookId === id || organizationId === id)
    },
  }
}

/** Of about the same size, so that none of several is so small that it is signed before its turn. */
function partsOf(kept: Kept[]): Kept[][] {
  const count = Math.max(1, Math.floor(kept.length / signedAtOnce))
  const size = Math.ceil(kept.length / count)
  return Array.from({ length: count }, (_, n) => kept.slice(n * size, (n + 1) * size))
}
