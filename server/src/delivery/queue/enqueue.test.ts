import { expect, test } from 'vitest'
import type { ClaimedDelivery } from './delivery.ts'
import { createClaimOnPublish } from './enqueue.ts'
import { createInFlight } from './in-flight.ts'

const fromPublication = { targets: new Map(), payloads: new Map() }
const published: ClaimedDelivery = {
  organizationId: 'o',
  webhookId: 'w',
  laneName: 'ow',
  eventId: 'e',
  triggerName: 'PersonCreated_v1',
  triggerCreatedAt: 0,
  rowLocation: '(0,1)',
  leaseToken: 't',
  leaseEndsAt: 0,
  attemptNumber: 1,
  windowAttempts: 1,
  windowOpenedAt: null,
  isHealthy: true,
  isFailing: false,
  maxInFlight: 1,
  concurrency: { maxRequests: Infinity, failures: 0 },
}
const event = { name: 'PersonCreated_v1', payload: '{}' } as const
const ignored = () => {}
const idle = () =>
  createInFlight({
    limits: { perWebhook: 10, perOrganization: 100, total: 100 },
    onCapacity: ignored,
    onBusy: ignored,
    utilization: () => ({ idle: 1, active: 0, utilization: 0 }),
  })

test('No more than 64 claims on publish are open: each until its deliveries are taken in, or its transaction has failed', async () => {
  const taking = Promise.withResolvers<void>()
  const lost: string[] = []
  const claimOnPublish = createClaimOnPublish(
    { workerId: 'me', onFailpoint: ignored, log: { error: ignored }, decryptTargets: () => new Map() },
    {
      inFlight: idle(),
      attempts: { take: () => taking.promise },
      unqueued: { isOpen: () => true, lose: (_, eventIds) => lost.push(...eventIds) },
    },
  )
  const make = () => claimOnPublish('o', Date.now())
  const claims = Array.from({ length: 64 }, make)
  expect(make()).toBeUndefined()

  claims[0]?.take([], fromPublication)
  expect(make()).toBeDefined()
  claims[1]?.fail([{ ...event, id: 'unsure' }], new Error('Connection terminated unexpectedly'))
  expect(make()).toBeDefined()
  claims[3]?.fail([{ ...event, id: 'refused' }], Object.assign(new Error('is taken'), { code: '23505' }))
  expect(make()).toBeDefined()
  claims[4]?.fail([{ ...event, id: 'shut down' }], Object.assign(new Error('is shut down'), { code: '57P01' }))
  expect(make()).toBeDefined()
  expect(lost).toEqual(['unsure', 'shut down'])

  claims[2]?.take([published], fromPublication)
  expect(make()).toBeUndefined()
  taking.resolve()
  await expect.poll(make).toBeDefined()
})

test('A claim on publish whose targets cannot be decrypted does not stay open', async () => {
  const errors: unknown[] = []
  const decryptTargets = () => {
    throw new Error('cannot be decrypted')
  }
  const claimOnPublish = createClaimOnPublish(
    { workerId: 'me', onFailpoint: ignored, log: { error: (values) => errors.push(values) }, decryptTargets },
    {
      inFlight: idle(),
      attempts: { take: async () => {} },
      unqueued: { isOpen: () => true, lose: ignored },
    },
  )
  for (let count = 0; count < 65; count++) {
    claimOnPublish('o', Date.now())?.take([published], fromPublication)
    await Promise.resolve()
  }
  await expect.poll(() => errors.length).toBe(65)
})
