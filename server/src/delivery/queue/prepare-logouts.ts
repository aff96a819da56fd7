import type { Database } from '../../ground/database/database.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { type LoadLogoutTargets, type LogoutTarget, logoutTrigger } from '../logouts/index.ts'
import type { ClaimedDelivery } from './delivery.ts'
import { loadContents } from './enqueue-logouts.ts'
import { finalSettlement, releaseSettlement } from './outcome.ts'

export const isLogout = ({ triggerName }: ClaimedDelivery): boolean => triggerName === logoutTrigger

type Dependencies = { database: Database; clock: Clock; loadLogoutTargets: LoadLogoutTargets }

/** What `prepareClaimed` gives of events, of logout tokens. One whose application has no address any more is cancelled. */
export async function prepareLogouts(claimed: ClaimedDelivery[], dependencies: Dependencies) {
  const { database, clock, loadLogoutTargets } = dependencies
  const applications = new Map(
    claimed.map(({ organizationId, webhookId }) => [webhookId, { organizationId, clientId: webhookId }]),
  )
  const [targets, contents] = await Promise.all([
    loadLogoutTargets(database.read, [...applications.values()]),
    loadContents(database.read, claimed),
  ])
  const now = clock.now()
  return claimed.map((delivery) =>
    prepareOne(delivery, targets.get(delivery.webhookId), contents.get(delivery.eventId), now),
  )
}

function prepareOne(
  delivery: ClaimedDelivery,
  target: LogoutTarget | undefined,
  payload: string | undefined,
  now: number,
) {
  if (!target) return finalSettlement(delivery, 'cancelled', 'logout_uri_removed')
  // Somebody else has taken it over: what is written of it here changes nothing.
  if (payload === undefined) return releaseSettlement(delivery, 'unreadable', now)
  const { targetUrl, issuer, signer } = target
  if (!signer) return releaseSettlement(delivery, 'no_signing_key', now)
  return { delivery, targetUrl, headers: [], timeoutMs: 0, payload, signer, logoutIssuer: issuer }
}
