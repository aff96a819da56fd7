/**
 * The life of a delivery in this process, from its lease to its settlement: what its attempt needs is read, the attempt is
 * ordered from the sender, and what becomes of it is written. What cannot be attempted now is released.
 */
import type { AttemptEnd, ClaimedDelivery, LogLine, OnFailpoint, ReleaseReason, Settlement } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { type RecordOutcome, type RetrySettings, release, settlementOf } from './outcome.ts'
import {
  type FromPublication,
  makeRequests,
  type PrepareDependencies,
  type Prepared,
  prepareClaimed,
  type RequestedAttempt,
} from './prepare.ts'
import type { NewRequest, Sender } from './sender/sender.ts'

export type AttemptDependencies = PrepareDependencies & {
  sender: Sender
  baseUrl: string
  retry: RetrySettings
  onFailpoint: OnFailpoint
  log: { error: LogLine }
}

/** Of a claim. `since`: from before its targets are read, for a revocation after that may have been missed by it. */
type ClaimContext = { committed: Promise<void>; since: number; fromPublication?: FromPublication }

/**
 * Later than this after `since`, targets that were read with a claim may have changed in a revocation that was missed: what is to
 * be called goes back, and is claimed anew.
 */
export const targetsFreshForMs = 1_000

const areTargetsOld = ({ since, fromPublication }: ClaimContext) =>
  fromPublication !== undefined && performance.now() - since > targetsFreshForMs

type Parts = { inFlight: InFlight; record: RecordOutcome }

export type Attempts = ReturnType<typeof createAttempts>

export function createAttempts(dependencies: AttemptDependencies, { inFlight, record }: Parts) {
  const { clock, sender, log, onFailpoint } = dependencies
  const underWay = new Set<Promise<unknown>>()
  let isStopped = false

  const attemptAll = async (claimed: ClaimedDelivery[], context: ClaimContext) =>
    orderAll(await prepare(claimed, context), context)

  /** What cannot be read now goes back, and the error on: the loop that claimed it waits before it claims again. */
  const prepare = async (claimed: ClaimedDelivery[], { committed, fromPublication }: ClaimContext) => {
    const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, fromPublication, dependencies)])
    if (commit.status === 'rejected') throw commit.reason
    onFailpoint('claimed')
    if (read.status === 'fulfilled') return read.value
    releaseAll(claimed, 'unreadable')
    throw read.reason
  }

  /** A revocation finds a delivery before it is ordered, or among the orders, never between: nothing is awaited here. */
  const orderAll = (prepared: (Prepared | Settlement)[], context: ClaimContext) => {
    onFailpoint('prepared')
    const attempted: Prepared[] = []
    for (const each of prepared) {
      const reason = reasonToRelease(each.delivery, context)
      if (!('payload' in each)) settle(each)
      else if (reason) releaseAll([each.delivery], reason)
      else attempted.push(each)
    }
    sender.order(makeRequests(attempted, dependencies).map(({ ordered, order }) => ({ ...order, ...follow(ordered) })))
  }

  const reasonToRelease = (delivery: ClaimedDelivery, context: ClaimContext): ReleaseReason | undefined => {
    if (isStopped) return 'stopping'
    if (areTargetsOld(context)) return 'too_late'
    return inFlight.wasRevoked(delivery, context.since) ? 'revoked' : undefined
  }

  /** From here on it is counted as this process's, until its outcome is committed. */
  const follow = (ordered: RequestedAttempt): Pick<NewRequest, 'onBegun' | 'onEnded'> => {
    const forget = inFlight.hold(ordered.delivery, ordered.weight)
    return {
      onBegun: () => onFailpoint('sent'),
      onEnded: (end) => {
        if (end.kind === 'completed') onFailpoint('responded')
        else if (end.problem) tellProblem(ordered.delivery, end)
        settle(settlementOf(ordered, end, dependencies), forget)
      },
    }
  }

  const settle = (settlement: Settlement, forget = inFlight.hold(settlement.delivery)) =>
    void record(settlement).then(forget)

  const releaseAll = (deliveries: ClaimedDelivery[], reason: ReleaseReason) => {
    for (const delivery of deliveries) settle(release(delivery, reason, clock.now()))
  }

  const tellProblem = (
    { organizationId, webhookId, eventId }: ClaimedDelivery,
    end: AttemptEnd & { problem?: string },
  ) =>
    log.error(
      { organization_id: organizationId, webhook_id: webhookId, event_id: eventId, problem: end.problem },
      'a delivery could not be signed; tried again in a minute',
    )

  return {
    /**
     * What is needed is read while the claim's commit may still wait for the disk. Rejects when either fails; done when all
     * is counted, and its attempts are ordered.
     */
    async take(claimed: ClaimedDelivery[], context: ClaimContext): Promise<void> {
      const taking = isStopped
        ? context.committed.then(() => releaseAll(claimed, 'stopping'))
        : attemptAll(claimed, context)
      underWay.add(taking)
      await taking.finally(() => underWay.delete(taking))
    },

    /** From now on what is taken goes back at once. */
    stop() {
      isStopped = true
    },

    /** From now on what is taken is attempted again. */
    resume() {
      isStopped = false
    },

    /** What is being taken by now is ordered, or goes back. */
    allTaken: () => Promise.allSettled(underWay),

    /** Releases what is not begun to be called of that webhook or organization. */
    revoke(id: string): Promise<void> {
      inFlight.revoke(id)
      return sender.revoke(id)
    },
  }
}
