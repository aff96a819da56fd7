import { expect, test } from 'vitest'
import { makeId } from '../../../src/ground/runtime/identifiers.ts'
import { drain, fill, openFeed, publishOn } from '../../support/feed.ts'

test('One page of a rare name looks at 200,000 events, says that there is more, and the next goes on behind them', async (context) => {
  const world = await openFeed()
  context.onTestFinished(world.drop)
  const organizationId = makeId(Date.now())
  const rare = (label: string) => publishOn(world.database.write, organizationId, [label], 'PersonDeleted_v1')
  const expected: string[] = []
  for (const count of [1, 9_998, 10_001, 90_000, 150_000]) {
    await fill(world, organizationId, count)
    await rare(`after ${count}`)
    expected.push(`after ${count}`)
  }
  await fill(world, organizationId, 10)
  const names = ['PersonDeleted_v1' as const]
  const search = { after: undefined, names, limit: 100, bytes: 1e9 }
  const page = await world.feed.readPage(organizationId, search)
  expect(page.events.map(({ payload }) => JSON.parse(payload))).toEqual(expected.slice(0, 4))
  expect(page.hasMore).toBe(true)
  const before = await world.feed.readPage(organizationId, { after: undefined, names: undefined, limit: 1, bytes: 1e9 })
  expect(page.next - (before.next - 1)).toBe(200_000)
  const rest = await world.feed.readPage(organizationId, { ...search, after: page.next })
  expect(rest).toMatchObject({ events: [{ payload: `"${expected.at(-1)}"` }], hasMore: false })
  for (const limit of [1, 2, 100])
    expect((await drain(world, organizationId, { names, limit })).labels).toEqual(expected)
})
