import { describe, expect, test } from 'vitest'
import { createNewest } from '../../src/delivery/feed/index.ts'
import { fragment } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { openFeed, publishOn, queriesOf } from '../support/feed.ts'

const all = { walk: undefined, matching: undefined, since: undefined, until: undefined, columns: fragment`` }

describe('Newest events while others are published', () => {
  test('Newest events while others are published are shown once none can come before them, and none is skipped', async () => {
    const world = await openFeed()
    try {
      const organizationId = makeId(Date.now())
      const newest = createNewest({ database: { pages: world.database.read }, positions: world.positions }, 'x')
      const page = (after?: string, limit = 2) => newest.read(organizationId, { ...all, after, limit })
      const labels = ({ rows }: { rows: { payload: string }[] }) => rows.map(({ payload }) => JSON.parse(payload))
      await publishOn(world.database.write, organizationId, ['a', 'b', 'c'])
      const late = await world.connect()
      await late.query('begin')
      await publishOn(queriesOf(late), organizationId, ['late'])
      await publishOn(world.database.write, organizationId, ['d'])
      // What has a later position than one that is not committed yet is not shown.
      const first = await page()
      expect(labels(first)).toEqual(['c', 'b'])
      await late.query('commit')
      await publishOn(world.database.write, organizationId, ['e'])
      expect(labels(await page(first.next))).toEqual(['a'])
      const whole: string[] = []
      for (let after: string | undefined; ; ) {
        const next = await page(after)
        whole.push(...labels(next))
        if (next.next === undefined) break
        after = next.next
        await publishOn(world.database.write, organizationId, ['meanwhile'])
      }
      expect(whole).toEqual(['e', 'd', 'late', 'c', 'b', 'a'])
    } finally {
      await world.drop()
    }
  })
})
