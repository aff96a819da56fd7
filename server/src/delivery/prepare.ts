import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { LoadedPayloads, Payloads } from '../events/index.ts'
import type { FindSigners, Signer } from '../keys/index.ts'
import type { LoadTargets, Target, Targets } from '../webhooks/index.ts'
import type { ClaimedDelivery } from './claim-store.ts'
import { type Conclusion, setAside, setAsideMs } from './conclusion.ts'
import type { LogLine } from './log-line.ts'
import type { Prepared } from './make-orders.ts'
import type { FinalStatus, Reason } from './status.ts'

export type PrepareDependencies = {
  database: Database
  clock: Clock
  loadTargets: LoadTargets
  payloads: Pick<Payloads, 'load'>
  findSigners: FindSigners
  log: { error: LogLine }
}

/** What is known of what was claimed as it was published. */
export type FromPublication = { targets: Targets; payloads: LoadedPayloads }

/**
 * What each claimed delivery needs: the webhook's address and headers, the payload, a signer; it is read in one
 * round trip. One whose trigger was removed meanwhile is cancelled instead, one whose event is gone is dropped. With
 * `fromPublication` only signers are.
 */
export async function prepareClaimed(
  claimed: ClaimedDelivery[],
  fromPublication: FromPublication | undefined,
  dependencies: PrepareDependencies,
): Promise<(Prepared | Conclusion)[]> {
  const { database, loadTargets, findSigners, clock, log } = dependencies
  const webhooks = new Map(claimed.map((delivery) => [delivery.webhookId, delivery]))
  const organizationIds = claimed.map((delivery) => delivery.organizationId)
  // It waits, and nobody waits for it.
  const onUnreadable = (organization_id: string, err: unknown) =>
    log.error({ err, organization_id }, 'no signing key for an organization; its deliveries wait')
  const [targets, payloads, signers] = await Promise.all([
    fromPublication?.targets ?? loadTargets(database.read, [...webhooks.values()]),
    fromPublication?.payloads ?? dependencies.payloads.load(database.read, claimed),
    findSigners(organizationIds, onUnreadable),
  ])
  const now = clock.now()
  return claimed.map((delivery) => {
    const found = {
      target: targets.get(delivery.webhookId),
      payload: payloads.get(delivery.eventId),
      signer: signers.get(delivery.organizationId),
    }
    return prepare(delivery, found, now)
  })
}

type Found = { target: Target | undefined; payload: string | undefined; signer: Signer | undefined }

function prepare(delivery: ClaimedDelivery, { target, payload, signer }: Found, now: number): Prepared | Conclusion {
  const end = (status: FinalStatus, reason: Reason): Conclusion => ({
    settlement: { delivery, attempt: null, status, reason },
  })
  if (!target) return end('cancelled', 'webhook_deleted')
  if (!isOfTrigger(delivery, target)) return end('cancelled', 'trigger_deleted')
  if (payload === undefined) return end('dropped', 'expired')
  const { targetUrl, headers, timeoutMs } = target
  if (!signer || !headers) return setAside(delivery, now + setAsideMs)
  return { delivery, targetUrl, headers, timeoutMs, payload, signer }
}

/** A trigger that was removed and added again is another one. */
function isOfTrigger({ triggerName, triggerCreatedAt }: ClaimedDelivery, { triggers }: Target): boolean {
  if (triggers === 'checked') return true
  const createdAt = triggers.get(`event ${triggerName}`)
  return createdAt !== undefined && (triggerCreatedAt === null || triggerCreatedAt === createdAt)
}
