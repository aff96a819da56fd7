import { type Clock, toTimestamp } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { loadPayloads } from '../events/index.ts'
import type { SigningKey } from '../keys/index.ts'
import type { LoadTargets, Target } from '../webhooks/index.ts'
import type { Attempt } from './attempt.ts'
import type { ClaimedDelivery, Settlement } from './delivery-store.ts'

/** Until a delivery is looked at again whose organization's secrets no master key opens. */
const unreadableDelayMs = 60_000

type LogLine = (fields: object, message: string) => void

export type PrepareDependencies = {
  database: Database
  clock: Clock
  loadTargets: LoadTargets
  /** Rejects when no master key opens the organization's key. */
  signingKey: (organizationId: string) => Promise<SigningKey>
  log: { info: LogLine; debug: LogLine; error: LogLine }
}

/**
 * What each claimed delivery needs, in one round trip: the webhook's present address and headers, the payload, the key.
 * One whose trigger was removed meanwhile is settled as cancelled instead, one whose event is gone as dropped.
 */
export async function prepareClaimed(
  claimed: ClaimedDelivery[],
  dependencies: PrepareDependencies,
): Promise<(Attempt | Settlement)[]> {
  const { database, loadTargets, clock } = dependencies
  const webhooks = new Map(claimed.map((delivery) => [delivery.webhookId, delivery]))
  const organizationIds = claimed.map((delivery) => delivery.organizationId)
  const eventIds = claimed.map((delivery) => delivery.eventId)
  const [targets, payloads, keys] = await Promise.all([
    loadTargets(database.read, [...webhooks.values()]),
    loadPayloads(database.read, organizationIds, eventIds),
    loadKeys(new Set(organizationIds), dependencies),
  ])
  return claimed.map((delivery) => {
    const found = {
      target: targets.get(delivery.webhookId),
      payload: payloads.get(delivery.eventId),
      key: keys.get(delivery.organizationId),
    }
    return prepare(delivery, found, toTimestamp(clock.now() + unreadableDelayMs))
  })
}

/** An organization whose key cannot be opened is missing: it waits, and nobody waits for it. */
async function loadKeys(organizationIds: Set<string>, { signingKey, log }: PrepareDependencies) {
  const keys = new Map<string, SigningKey>()
  const loadKey = async (id: string) => {
    try {
      keys.set(id, await signingKey(id))
    } catch (err) {
      log.error({ err, organization_id: id }, 'no signing key for an organization; its deliveries wait')
    }
  }
  await Promise.all([...organizationIds].map(loadKey))
  return keys
}

type Found = { target: Target | undefined; payload: string | undefined; key: SigningKey | undefined }

function prepare(delivery: ClaimedDelivery, { target, payload, key }: Found, later: string): Attempt | Settlement {
  const unsent = { delivery, attempt: null, failed: null }
  if (!target) return { ...unsent, status: 'cancelled', reason: 'webhook_deleted' }
  if (!target.triggers.has(`event ${delivery.triggerName}`))
    return { ...unsent, status: 'cancelled', reason: 'trigger_deleted' }
  if (payload === undefined) return { ...unsent, status: 'dropped', reason: 'expired' }
  if (!key || !target.headers) return { ...unsent, retryAt: later }
  return { delivery, targetUrl: target.targetUrl, headers: target.headers, timeoutMs: target.timeoutMs, payload, key }
}
