import { expect, test } from 'vitest'
import type { ClaimedDelivery } from './claim-store.ts'
import { createUnsettled } from './unsettled.ts'

const delivery = { organizationId: 'o' } as ClaimedDelivery

test('what is kept is counted until it is released, and waited for no longer than asked', async () => {
  const counted: string[] = []
  const unsettled = createUnsettled({ add: () => counted.push('add'), remove: () => counted.push('remove') })
  await unsettled.allSettled(60_000)
  const releases = [unsettled.keep(delivery), unsettled.keep(delivery)]
  releases[0]?.()
  const began = performance.now()
  await unsettled.allSettled(50)
  expect(performance.now() - began).toBeGreaterThan(45)
  const all = unsettled.allSettled(60_000)
  releases[1]?.()
  await all
  expect(counted).toEqual(['add', 'add', 'remove', 'remove'])
})
