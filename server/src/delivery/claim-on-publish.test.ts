import { expect, test } from 'vitest'
import { createClaimOnPublish } from './claim-on-publish.ts'

const given = { targets: new Map(), payloads: new Map() }
const published = [{ webhookId: 'w', eventId: 'e', triggerName: 'PersonCreated_v1', triggerCreatedAt: 0 }] as const
const ignored = () => {}

test('No more than 64 claims on publish are open: each until its deliveries are taken in, or its transaction has failed', async () => {
  const taking = Promise.withResolvers<void>()
  const lost: string[] = []
  const claimOnPublish = createClaimOnPublish(
    { workerId: 'me', onFailpoint: ignored, log: { error: ignored }, decryptTargets: () => new Map() },
    {
      inFlight: { publishLimitOf: () => 32 },
      attempts: { take: () => taking.promise },
      orphans: { add: ({ leaseToken }) => lost.push(leaseToken) },
    },
  )
  const make = () => claimOnPublish('o', Date.now())
  const offers = Array.from({ length: 64 }, make)
  expect(make()).toBeUndefined()

  offers[0]?.take([], given)
  expect(make()).toBeDefined()
  offers[1]?.fail()
  expect(make()).toBeDefined()
  expect(lost).toEqual([offers[1]?.leaseToken])

  offers[2]?.take([{ ...published[0], rowLocation: '(0,1)', maxInFlight: 1 }], given)
  expect(make()).toBeUndefined()
  taking.resolve()
  await expect.poll(make).toBeDefined()
})

test('A claim on publish whose targets cannot be decrypted does not stay open', async () => {
  const errors: unknown[] = []
  const decryptTargets = () => {
    throw new Error('sealed')
  }
  const claimOnPublish = createClaimOnPublish(
    { workerId: 'me', onFailpoint: ignored, log: { error: (values) => errors.push(values) }, decryptTargets },
    {
      inFlight: { publishLimitOf: () => 32 },
      attempts: { take: async () => {} },
      orphans: { add: ignored },
    },
  )
  for (let count = 0; count < 65; count++) {
    claimOnPublish('o', Date.now())?.take([{ ...published[0], rowLocation: '(0,1)', maxInFlight: 1 }], given)
    await Promise.resolve()
  }
  await expect.poll(() => errors.length).toBe(65)
})
