/**
 * Takes claimed deliveries in: reads what their calls need, and orders the calls. What cannot be read, was recalled meanwhile,
 * was read too long ago, or comes after a stop, is handed back.
 */
import type { ClaimedDelivery } from './claim-store.ts'
import type { Conclude } from './conclude.ts'
import { type Conclusion, concludeAttempt, handBack } from './conclusion.ts'
import type { LaneKey } from './lane-key.ts'
import { makeOrders, type OrderedAttempt, type Prepared } from './make-orders.ts'
import { type FromPublication, type PrepareDependencies, prepareClaimed } from './prepare.ts'
import { createRecalled } from './recalled.ts'
import type { RetrySettings } from './retry-schedule.ts'
import type { Sender } from './sender.ts'
import type { NewOrder } from './start-sender-thread.ts'
import type { OnStep } from './steps.ts'
import type { Unsettled } from './unsettled.ts'

export type IntakeDependencies = PrepareDependencies & {
  sender: Sender
  baseUrl: string
  retry: RetrySettings
  onStep: OnStep
}

/** Of a claim. `since`: from before its targets are read, for a recall after that may have been missed by it. */
type ClaimContext = { committed: Promise<void>; since: number; fromPublication?: FromPublication }

/**
 * Later than this after `since`, targets that were read with a claim may have changed in a recall that was missed: what is to
 * be called goes back, and is claimed anew.
 */
export const targetsGoodForMs = 1_000

const areTargetsOld = ({ since, fromPublication }: ClaimContext) =>
  fromPublication !== undefined && performance.now() - since > targetsGoodForMs

type Parts = { unsettled: Unsettled; conclude: Conclude }

export type Intake = ReturnType<typeof createIntake>

export function createIntake(dependencies: IntakeDependencies, { unsettled, conclude }: Parts) {
  const { clock, sender, log, onStep } = dependencies
  const recalled = createRecalled()
  const underWay = new Set<Promise<unknown>>()
  let isStopped = false

  /** What cannot be read now goes back, and the error on: the loop that claimed it waits before it claims again. */
  const prepare = async (claimed: ClaimedDelivery[], { committed, fromPublication }: ClaimContext) => {
    const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, fromPublication, dependencies)])
    if (commit.status === 'rejected') throw commit.reason
    onStep('claimed')
    if (read.status === 'fulfilled') return read.value
    for (const delivery of claimed) giveBack(delivery)
    throw read.reason
  }

  const giveBack = (delivery: ClaimedDelivery) => settle(handBack(delivery, clock.now()))

  const settle = (conclusion: Conclusion, release = unsettled.keep(conclusion.settlement.delivery)) =>
    void conclude(conclusion).then(release)

  /** From here on it is counted as this process's, until its end is committed. */
  const keep = (ordered: OrderedAttempt): Pick<NewOrder, 'onBegun' | 'onEnded'> => {
    const release = unsettled.keep(ordered.delivery, ordered.weight)
    return {
      onBegun: () => onStep('called'),
      onEnded: (end) => {
        if (end.kind === 'called') onStep('answered')
        if (end.kind === 'not_signed') tellUnsigned(ordered.delivery, end.problem)
        settle(concludeAttempt(ordered, end, dependencies), release)
      },
    }
  }

  const tellUnsigned = ({ organizationId, webhookId, eventId }: ClaimedDelivery, problem: string) =>
    log.error(
      { organization_id: organizationId, webhook_id: webhookId, event_id: eventId, problem },
      'a delivery could not be signed; it waits',
    )

  /** A recall finds a delivery before it is ordered, or among the orders, never between: nothing is awaited here. */
  const callAll = (next: (Prepared | Conclusion)[], context: ClaimContext) => {
    onStep('prepared')
    const mustGoBack = isStopped || areTargetsOld(context)
    const called: Prepared[] = []
    for (const each of next) {
      if ('settlement' in each) settle(each)
      else if (mustGoBack || wasRecalled(each.delivery, context.since)) giveBack(each.delivery)
      else called.push(each)
    }
    sender.order(makeOrders(called, dependencies).map(({ ordered, order }) => ({ ...order, ...keep(ordered) })))
  }

  const wasRecalled = ({ webhookId, organizationId }: LaneKey, since: number) =>
    recalled.wasRecalled(webhookId, since) || recalled.wasRecalled(organizationId, since)

  return {
    /**
     * What is needed is read while the claim's commit may still wait for the disk. Rejects when either fails; done when all
     * is counted, and its calls are ordered. What was recalled meanwhile goes back: it may have been claimed, or read, before.
     */
    async take(claimed: ClaimedDelivery[], context: ClaimContext): Promise<void> {
      const taking = isStopped
        ? context.committed.then(() => claimed.forEach(giveBack))
        : prepare(claimed, context).then((next) => callAll(next, context))
      underWay.add(taking)
      await taking.finally(() => underWay.delete(taking))
    },

    /** Hands back all that is not begun to be called. */
    handBackAll: sender.handBackAll,

    /** From now on what is taken goes back at once. */
    stop() {
      isStopped = true
    },

    /** From now on what is taken is called again. */
    resume() {
      isStopped = false
    },

    /** What is being taken in by now is ordered, or goes back. */
    allTaken: () => Promise.allSettled(underWay),

    /** Hands back what is not begun to be called of that webhook or organization. */
    recall(id: string): Promise<void> {
      recalled.add(id, performance.now())
      return sender.recall(id)
    },
  }
}
