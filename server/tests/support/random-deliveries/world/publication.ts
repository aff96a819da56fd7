import { createPublish } from '../../../../src/delivery/events/index.ts'
import type { Attempts, FromPublication } from '../../../../src/delivery/queue/attempt.ts'
import type { ClaimedDelivery } from '../../../../src/delivery/queue/delivery.ts'
import { createClaimOnPublish, createEnqueue } from '../../../../src/delivery/queue/enqueue.ts'
import { createLaneUse } from '../../../../src/delivery/queue/lane-use.ts'
import { wakeLanes } from '../../../../src/delivery/queue/store/lanes.ts'
import { sayUnqueuedSince } from '../../../../src/delivery/queue/store/unqueued.ts'
import { createDecryptTargets } from '../../../../src/delivery/webhooks/index.ts'
import { valuesIn } from '../../../../src/ground/database/rows.ts'
import { sql } from '../../../../src/ground/database/sql.ts'
import { toTimestamp } from '../../../../src/ground/runtime/clock.ts'
import { firstIdAt } from '../../../../src/ground/runtime/identifiers.ts'
import { untraced } from '../../../../src/ground/runtime/tracer.ts'
import { ignored, log, type World } from './world.ts'

/** Gives the ids of the events, and what the worker that may claim them on publish, if any, was handed. */
export async function publish(world: World, organizationId: string, count: number, workerId?: string) {
  const due = await dueWebhooks(world, organizationId)
  const crowded = await crowdedWebhooks(world, organizationId)
  if (workerId) await sayUnqueuedSince(world.database.write, workerId, firstIdAt(world.start), true)
  const claimed: ClaimedDelivery[] = []
  const take: Attempts['take'] = async (deliveries, { fromPublication }) => {
    claimed.push(...deliveries)
    for (const { leaseToken } of deliveries) world.handedOver.set(leaseToken, fromPublication as FromPublication)
  }
  const content = { analytics_metadata: {}, person_id: organizationId, region: 'local' }
  const events = Array(count).fill({ name: 'PersonCreated_v1', content })
  const publishIn = publishBeside(world, { workerId, take, crowded })
  const published = await world.database.transaction((tx) => publishIn(tx, organizationId, events))
  return { eventIds: published.map(({ event_id }) => event_id), claimed, due }
}

async function dueWebhooks({ database, clock }: World, organizationId: string): Promise<string[]> {
  const lanes = await database.read.rows(sql<{ webhook_id: string }>`
    select webhook_id from lanes where org_id = ${organizationId} and next_due_at <= ${toTimestamp(clock.now())}`)
  return lanes.map(({ webhook_id }) => webhook_id)
}

/** Webhooks of which as much is in flight as may be claimed on publish. */
const crowdedWebhooks = ({ database }: World, organizationId: string) =>
  valuesIn(database.read)(sql<{ webhook_id: string }>`
    select webhook_id from lanes l
     where org_id = ${organizationId} and max_in_flight / 2.0 <= in_flight + (
       select count(*) from unqueued_deliveries u where u.org_id = l.org_id and u.webhook_id = l.webhook_id)`)

type Beside = { workerId: string | undefined; take: Attempts['take']; crowded: string[] }

/** As in the process of a worker, which is idle, or of none. */
function publishBeside({ clock, keyring, woken }: World, { workerId, take, crowded }: Beside) {
  const claimOnPublish =
    workerId === undefined
      ? () => undefined
      : createClaimOnPublish(
          { workerId, onFailpoint: ignored, log, decryptTargets: createDecryptTargets(keyring) },
          {
            inFlight: {
              publishLimitOf: () => 100,
              openPublication: () => ignored,
              lanes: { ...createLaneUse(), crowdedOf: () => crowded },
            },
            attempts: { take },
            unqueued: { isOpen: () => true, lose: ignored },
          },
        )
  const wake = (_: string, webhookIds: string[]) => {
    woken.push(...webhookIds)
  }
  return createPublish({ clock, enqueue: createEnqueue({ wake, claimOnPublish }), tracer: untraced })
}

/** Wakes the lanes of what was published since the last time. `isLost`: the process died before. Gives which. */
export async function wake(world: World, organizationId: string, workerId: string, { isLost = false } = {}) {
  const webhookIds = world.woken.splice(0)
  if (isLost) return []
  const lanes = webhookIds.map((webhookId) => ({ organizationId, webhookId }))
  if (lanes.length > 0) await wakeLanes(world.database.write, lanes, toTimestamp(world.clock.now()), workerId)
  return webhookIds
}
