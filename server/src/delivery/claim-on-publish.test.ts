import { expect, test } from 'vitest'
import { createOffers } from './claim-on-publish.ts'

const given = { targets: new Map(), payloads: new Map() }
const published = [{ webhookId: 'w', eventId: 'e', triggerName: 'PersonCreated_v1', triggerCreatedAt: 0 }] as const
const ignored = () => {}

test('no more than 64 offers are open: one is until what it claimed is taken in, or its transaction has failed', async () => {
  const taking = Promise.withResolvers<void>()
  const lost: string[] = []
  const makeOffer = createOffers(
    { owner: 'me', onStep: ignored, log: { error: ignored }, decryptTargets: () => new Map() },
    {
      inFlight: { publishedMostOf: () => 32 },
      attempts: { take: () => taking.promise },
      orphans: { add: ({ claim }) => lost.push(claim) },
    },
  )
  const make = () => makeOffer('o', Date.now())
  const offers = Array.from({ length: 64 }, make)
  expect(make()).toBeUndefined()

  offers[0]?.take([], given)
  expect(make()).toBeDefined()
  offers[1]?.fail()
  expect(make()).toBeDefined()
  expect(lost).toEqual([offers[1]?.claim])

  offers[2]?.take([{ ...published[0], place: '(0,1)', room: 1 }], given)
  expect(make()).toBeUndefined()
  taking.resolve()
  await expect.poll(make).toBeDefined()
})

test('one whose targets cannot be opened does not stay open', async () => {
  const errors: unknown[] = []
  const decryptTargets = () => {
    throw new Error('sealed')
  }
  const makeOffer = createOffers(
    { owner: 'me', onStep: ignored, log: { error: (values) => errors.push(values) }, decryptTargets },
    {
      inFlight: { publishedMostOf: () => 32 },
      attempts: { take: async () => {} },
      orphans: { add: ignored },
    },
  )
  for (let count = 0; count < 65; count++) {
    makeOffer('o', Date.now())?.take([{ ...published[0], place: '(0,1)', room: 1 }], given)
    await Promise.resolve()
  }
  await expect.poll(() => errors.length).toBe(65)
})
