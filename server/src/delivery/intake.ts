/**
 * Takes claimed deliveries in: reads what their calls need and gives them to the slots. What cannot be read, or was
 * recalled meanwhile, is handed back.
 */
import type { Door } from '../outbound/index.ts'
import { attemptDelivery, type Conclusion, handBack, type Prepared, type Seen } from './attempt.ts'
import type { createCallSlots, WaitingCall } from './call-slots.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import type { Conclude } from './conclude.ts'
import type { LaneKey } from './lane-store.ts'
import { type PrepareDependencies, prepareClaimed } from './prepare.ts'
import { createRecalled } from './recalled.ts'
import type { RetrySettings } from './retry-schedule.ts'
import type { OnStep } from './steps.ts'
import type { Unsettled } from './unsettled.ts'

export type IntakeDependencies = PrepareDependencies & {
  door: Door
  baseUrl: string
  retry: RetrySettings
  onStep: OnStep
}

type Parts = { slots: ReturnType<typeof createCallSlots>; unsettled: Unsettled; conclude: Conclude }

export type Intake = ReturnType<typeof createIntake>

export function createIntake(dependencies: IntakeDependencies, { slots, unsettled, conclude }: Parts) {
  const { clock, onStep } = dependencies
  const recalled = createRecalled()
  const underWay = new Set<Promise<void>>()

  /** What cannot be read now goes back, and the error on: the loop waits before it claims again. */
  const prepare = async (claimed: ClaimedDelivery[], committed: Promise<void>) => {
    const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, dependencies)])
    if (commit.status === 'rejected') throw commit.reason
    onStep('claimed')
    if (read.status === 'fulfilled') return read.value
    for (const delivery of claimed) settle(handBack(delivery, clock.now()))
    throw read.reason
  }

  const wasRecalled = ({ webhookId, organizationId }: LaneKey, since: number) =>
    recalled.wasRecalled(webhookId, since) || recalled.wasRecalled(organizationId, since)

  /** Gives those that are to be called; the others go back or end. */
  const sortOut = (prepared: (Prepared | Conclusion)[], since: number): WaitingCall[] => {
    const calls: WaitingCall[] = []
    for (const next of prepared) {
      if ('settlement' in next) settle(next)
      else if (wasRecalled(next.delivery, since)) settle(handBack(next.delivery, clock.now()))
      else calls.push(toWaitingCall(next))
    }
    return calls
  }

  const settle = (conclusion: Conclusion) => unsettled.keep(conclusion.settlement.delivery, conclude(conclusion))

  const toWaitingCall = (prepared: Prepared): WaitingCall => {
    const { delivery } = prepared
    const { promise, resolve } = Promise.withResolvers<void>()
    unsettled.keep(delivery, promise)
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

  const takeIn = async (claimed: ClaimedDelivery[], committed: Promise<void>, since: number) => {
    const prepared = await prepare(claimed, committed)
    onStep('prepared')
    // Nothing is awaited from here on: a recall finds a delivery while it is prepared or in the slots, never between.
    slots.add(sortOut(prepared, since))
  }

  return {
    /**
     * What is needed is read while the claim's commit waits for the disk. Rejects when either fails. What was recalled
     * `since` goes back: it may have been claimed, or read, before.
     */
    take(claimed: ClaimedDelivery[], committed: Promise<void>, since = performance.now()): Promise<void> {
      const taking = takeIn(claimed, committed, since).finally(() => underWay.delete(taking))
      underWay.add(taking)
      return taking
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
