import { expect, test } from 'vitest'
import type { FeedPage, FeedSearch } from './feed.ts'
import { createSharedPages } from './shared-pages.ts'

const event = (position: number) => ({
  position,
  id: `e${position}`,
  name: 'PersonCreated_v1' as const,
  payload: `"${position}"`,
})

/** Pages of two events, up to the event `end`. */
function pagesUpTo(end: () => number) {
  const reads: unknown[] = []
  const pages = createSharedPages({
    readPage: async (organizationId: string, { after = 0, names }: FeedSearch): Promise<FeedPage> => {
      reads.push([organizationId, after, ...(names ?? [])].join(' '))
      const events = [after + 1, after + 2].filter((position) => position <= end()).map(event)
      return { events, next: events.at(-1)?.position ?? after, hasMore: false }
    },
    cursorOf: async (position) => `c${position}`,
    epoch: () => 'e',
  })
  const open = (organizationId = 'a', names: 'PersonCreated_v1'[] | undefined = undefined) => {
    const leaving = new AbortController()
    return { ...pages.open({ organizationId, names, signal: leaving.signal }), leave: () => leaving.abort() }
  }
  return { reads, open }
}

test('Readers at one place share one page, also one that comes there later, with the same names and organization only', async () => {
  const { reads, open } = pagesUpTo(() => 9)
  const [first, second, late] = [open(), open(), open()]
  const [page, same] = await Promise.all([first.turnTo(0), second.turnTo(0)])
  expect(same.events).toBe(page.events)
  expect(page.events.map(({ cursor }) => cursor)).toEqual(['c1', 'c2'])
  await first.turnTo(2)
  expect((await late.turnTo(0)).events).toBe(page.events)
  expect(reads).toEqual(['a 0', 'a 2'])
  await Promise.all([open('b').turnTo(0), open('a', ['PersonCreated_v1']).turnTo(0)])
  expect(reads.slice(2)).toEqual(['b 0', 'a 0 PersonCreated_v1'])
})

test('A page that nobody holds any more is read anew', async () => {
  const { reads, open } = pagesUpTo(() => 9)
  const [moved, left] = [open(), open()]
  await Promise.all([moved.turnTo(0), left.turnTo(0)])
  await moved.turnTo(2)
  left.leave()
  await open().turnTo(0)
  expect(reads).toEqual(['a 0', 'a 2', 'a 0'])
})

test('A page without events is not shared with those that come later', async () => {
  let end = 0
  const { open } = pagesUpTo(() => end)
  const [waiting, late] = [open(), open()]
  expect((await waiting.turnTo(0)).events).toEqual([])
  end = 1
  expect((await late.turnTo(0)).events).toHaveLength(1)
  expect((await waiting.turnTo(0)).events).toHaveLength(1)
})
