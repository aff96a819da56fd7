/**
 * The life of a delivery in this process, from its lease to its settlement: what its attempt needs is read, the request is handed
 * to the sender, and the outcome is written. What cannot be attempted now is released.
 */
import type { ClaimedDelivery, LogLine, OnFailpoint, ReleaseReason, Settlement } from './delivery.ts'
import type { InFlight } from './in-flight.ts'
import { type RecordOutcome, release, settlementOf } from './outcome.ts'
import {
  type Attempt,
  type FromPublication,
  makeRequests,
  type PrepareDependencies,
  type Prepared,
  prepareClaimed,
} from './prepare.ts'
import type { RetrySettings } from './retry-schedule.ts'
import type { NewRequest, Sender } from './sender/sender.ts'

export type AttemptDependencies = PrepareDependencies & {
  sender: Sender
  baseUrl: string
  retry: RetrySettings
  onFailpoint: OnFailpoint
  log: { error: LogLine }
}

/** `since`: from before its targets are read, for a revocation after that may have been missed by the claim. */
type Claim = { committed: Promise<void>; since: number; fromPublication?: FromPublication }

/**
 * Later than this after `since`, targets that were read with a publication may have changed in a revocation that was missed: its
 * deliveries are released and claimed anew.
 */
export const targetsFreshForMs = 1_000

const areTargetsStale = ({ since, fromPublication }: Claim) =>
  fromPublication !== undefined && performance.now() - since > targetsFreshForMs

type Parts = { inFlight: InFlight; record: RecordOutcome }

export type Attempts = ReturnType<typeof createAttempts>

export function createAttempts(dependencies: AttemptDependencies, { inFlight, record }: Parts) {
  const { clock, sender, log, onFailpoint } = dependencies
  let isStopped = false

  /** What cannot be read now is released, and the error passed on: the dispatcher waits before it claims again. */
  const prepare = async (claimed: ClaimedDelivery[], { committed, fromPublication }: Claim) => {
    const [commit, read] = await Promise.allSettled([committed, prepareClaimed(claimed, fromPublication, dependencies)])
    if (commit.status === 'rejected') throw commit.reason
    onFailpoint('claimed')
    if (read.status === 'fulfilled') return read.value
    releaseAll(claimed, 'unreadable')
    throw read.reason
  }

  /** A revocation finds a delivery before it is sent, or at the sender, never in between: nothing is awaited here. */
  const sendAll = (prepared: (Prepared | Settlement)[], claim: Claim) => {
    onFailpoint('prepared')
    const toSend: Prepared[] = []
    for (const each of prepared) {
      const reason = reasonToRelease(each.delivery, claim)
      if (!('payload' in each)) settle(each)
      else if (reason) releaseAll([each.delivery], reason)
      else toSend.push(each)
    }
    sender.send(makeRequests(toSend, dependencies).map(({ attempt, request }) => ({ ...request, ...follow(attempt) })))
  }

  const reasonToRelease = (delivery: ClaimedDelivery, claim: Claim): ReleaseReason | undefined => {
    if (isStopped) return 'stopping'
    if (areTargetsStale(claim)) return 'too_late'
    return inFlight.wasRevoked(delivery, claim.since) ? 'revoked' : undefined
  }

  /** Counts it as in flight in this process until its outcome is committed. */
  const follow = (attempt: Attempt): Pick<NewRequest, 'onBegun' | 'onEnded'> => {
    const forget = inFlight.hold(attempt.delivery, attempt.weight)
    return {
      onBegun: () => onFailpoint('sent'),
      onEnded: (end) => {
        if (end.kind === 'completed') onFailpoint('responded')
        else if (end.problem) logUnsigned(attempt.delivery, end.problem)
        settle(settlementOf(attempt, end, dependencies), forget)
      },
    }
  }

  const settle = (settlement: Settlement, forget = inFlight.hold(settlement.delivery)) =>
    void record(settlement).then(forget)

  const releaseAll = (deliveries: ClaimedDelivery[], reason: ReleaseReason) => {
    for (const delivery of deliveries) settle(release(delivery, reason, clock.now()))
  }

  const logUnsigned = ({ organizationId, webhookId, eventId }: ClaimedDelivery, problem: string) =>
    log.error(
      { organization_id: organizationId, webhook_id: webhookId, event_id: eventId, problem },
      'signing a delivery failed; tried again in a minute',
    )

  return {
    /**
     * Reads what is needed while the claim's commit may still wait for the disk, and rejects when either fails. Resolves once all
     * of it is counted and handed to the sender, or released.
     */
    async take(claimed: ClaimedDelivery[], claim: Claim): Promise<void> {
      const leave = inFlight.enter()
      try {
        if (!isStopped) return sendAll(await prepare(claimed, claim), claim)
        await claim.committed
        releaseAll(claimed, 'stopping')
      } finally {
        leave()
      }
    },

    /** Releases at once what is taken from now on, or still being prepared. */
    stop() {
      isStopped = true
    },
    resume() {
      isStopped = false
    },

    /** Releases what has not begun to be sent of that webhook or organization. */
    revoke(id: string): Promise<void> {
      inFlight.revoke(id)
      return sender.revoke(id)
    },
  }
}
