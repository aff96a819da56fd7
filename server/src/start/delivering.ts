import { createPayloads, type Enqueue } from '../delivery/events/index.ts'
import { createAnnouncements, createFeed, createFollow, createFollowers, inTurns } from '../delivery/feed/index.ts'
import { createHooks, type Hooks } from '../delivery/hooks/index.ts'
import { type Delivery, laneOfWebhook, noFailpoint, startDelivery } from '../delivery/queue/index.ts'
import { createLoadTargets } from '../delivery/webhooks/index.ts'
import type { Keys } from '../ground/keys/index.ts'
import { createEgressClient, type EgressOptions } from '../ground/outbound/index.ts'
import { createTurns } from '../ground/runtime/turns.ts'
import { createLoadLogoutTargets } from '../identity/issuer/index.ts'
import type { Base } from './base.ts'

/**
 * Kept for organizations, none of which uses another's: more than there are requests at once. A new one takes 1.3 ms of the processor
 * (measured), as much as forty requests.
 */
const maxReceiverConnections = 2_048
/** No organization has more of the hooks that are called at once. */
const hookShare = 1 / 8
/** Reads for event streams, of which there are thousands: each has a connection, and the lists of requests have others. */
const followingReads = { total: () => 4, perOrganization: () => 2 }

/** How webhooks are reached, by events and by hooks. */
function egressOptionsOf({ config, options: { certificateAuthorities } }: Base): EgressOptions {
  const { resolve, allowCidrs, allowPorts } = config
  return {
    resolve,
    allowCidrs,
    maxConnections: maxReceiverConnections,
    ...(allowPorts && { allowPorts }),
    ...(certificateAuthorities && { certificateAuthorities }),
  }
}

/** Hooks have an egress client of their own: no event takes a connection from a sign-in, nor the other way round. */
export function buildHooks(base: Base, { findSigners }: Keys): Hooks {
  const { config, keyring, log, metrics } = base
  const total = config.hookConcurrency
  return createHooks({
    ...base,
    baseUrl: config.baseUrl,
    limits: { total, perOrganization: Math.ceil(total * hookShare) },
    findSigners,
    egress: createEgressClient(egressOptionsOf(base)),
    loadTargets: createLoadTargets(keyring, laneOfWebhook),
    ...(metrics && { onCalled: metrics.hookCalled }),
    onUnreadable: (organization_id, err) =>
      log.error({ err, organization_id }, 'no signing key for an organization; its hooks fail'),
  })
}

export function buildDelivery(base: Base, { findSigners }: Keys): Delivery {
  const { metrics, options, clock, keyring, config, log } = base
  const onUnreadable = (organization_id: string, err: unknown) =>
    log.error({ err, organization_id }, 'no key of the issuer can be read; its logout tokens wait')
  return startDelivery({
    ...base,
    workerId: base.processId,
    database: base.workerDatabase,
    webhookEgressOptions: egressOptionsOf(base),
    onFailpoint: options.onFailpoint ?? noFailpoint,
    payloads: createPayloads(),
    findSigners,
    loadLogoutTargets: createLoadLogoutTargets({ clock, keyring, baseUrl: config.baseUrl, onUnreadable }),
    ...(metrics && { onAttempted: metrics.attempted, onFinished: metrics.finished }),
  })
}

/** `liveFeed` is for streams. `published` is to be called after each publication. */
export function buildFeed({ database, followDatabase, clock, notifications, isAlone, positions, onError }: Base) {
  const announcements = createAnnouncements({ database, notifications, isAlone, onError })
  const followers = createFollowers({ database, clock, positions, announcements, onError })
  const ofStreams = createFeed({ database: { read: database.read, pages: followDatabase.pages }, positions })
  const liveFeed = inTurns(ofStreams, createTurns(followingReads))
  return {
    feed: createFeed({ database, positions }),
    liveFeed,
    follow: createFollow({ feed: liveFeed, followers }),
    published: followers.published,
    announcements,
  }
}

export const announcing =
  (enqueue: Enqueue, published: () => void, count: (organizationId: string) => void): Enqueue =>
  (tx, organizationId, ...events) => {
    tx.afterCommit(published)
    tx.afterCommit(() => count(organizationId))
    // It may have held the feed back.
    tx.afterFailure(published)
    return enqueue(tx, organizationId, ...events)
  }
