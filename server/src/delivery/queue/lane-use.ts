/** The lanes that this process uses: how much of each is in flight, and since when nothing is. */
import type { ClaimedDelivery, LaneKey } from './delivery.ts'

type Use = LaneKey & { count: number; maxInFlight: number; idleSince: number }
type Idle = LaneKey & { idleSince: number }

/** `now`: a clock that is never set. */
export function createLaneUse(now = () => performance.now()) {
  const organizations = new Map<string, Map<string, Use>>()

  const useOf = ({ organizationId, webhookId, maxInFlight }: LaneKey & { maxInFlight: number }) => {
    const lanes = organizations.get(organizationId) ?? new Map<string, Use>()
    organizations.set(organizationId, lanes)
    const use = lanes.get(webhookId) ?? { organizationId, webhookId, count: 0, maxInFlight, idleSince: 0 }
    lanes.set(webhookId, use)
    return use
  }

  return {
    /** Counts a delivery until the function that it returns is called. */
    add(delivery: Pick<ClaimedDelivery, 'organizationId' | 'webhookId' | 'maxInFlight'>) {
      const use = useOf(delivery)
      use.count += 1
      use.maxInFlight = delivery.maxInFlight
      return () => {
        use.count -= 1
        use.idleSince = now()
      }
    },
    /** Webhooks of which as much is in flight as publications may claim: half of the limit, for what is woken has the other half. */
    crowdedOf: (organizationId: string): string[] =>
      [...(organizations.get(organizationId)?.values() ?? [])]
        .filter(({ count, maxInFlight }) => count >= maxInFlight / 2)
        .map(({ webhookId }) => webhookId),
    isEmpty: () => organizations.size === 0,
    /** Of which nothing has been in flight for `ms`, up to `limit`. */
    idle: (ms: number, limit: number): Idle[] =>
      [...organizations.values()]
        .flatMap((lanes) => [...lanes.values()])
        .filter(({ count, idleSince }) => count === 0 && now() - idleSince >= ms)
        .slice(0, limit)
        .map((use) => ({ ...use })),
    /** Those that were not used meanwhile. */
    forget(idle: Idle[]) {
      for (const { organizationId, webhookId, idleSince } of idle) {
        const lanes = organizations.get(organizationId)
        const use = lanes?.get(webhookId)
        if (use?.count === 0 && use.idleSince === idleSince) lanes?.delete(webhookId)
        if (lanes?.size === 0) organizations.delete(organizationId)
      }
    },
  }
}
