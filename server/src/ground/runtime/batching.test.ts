import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { createBatcher } from './batching.ts'

/** Each run is told what it got, and ends when the test says so. */
function watched(maxItems = 10) {
  const runs: { key: string; items: string[]; end: (results: string[]) => void; fail: (error: Error) => void }[] = []
  const add = createBatcher<string, string>(
    maxItems,
    (key, items) => new Promise((end, fail) => runs.push({ key, items, end, fail })),
  )
  return { add, runs }
}

describe('Calls with one key', () => {
  test('A call is run at once when nothing is under way, together with others when something is, each with its own result', async () => {
    const { add, runs } = watched()
    const first = add('a', 'one')
    const others = [add('a', 'two'), add('a', 'three')]
    expect(runs.map(({ items }) => items)).toEqual([['one']])
    runs[0]?.end(['1'])
    expect(await first).toBe('1')
    await expect.poll(() => runs[1]?.items).toEqual(['two', 'three'])
    runs[1]?.end(['2', '3'])
    expect(await Promise.all(others)).toEqual(['2', '3'])
  })

  test('A call waits for no other key', () => {
    const { add, runs } = watched()
    void add('a', 'one')
    void add('b', 'two')
    expect(runs.map(({ key }) => key)).toEqual(['a', 'b'])
  })

  test('Calls are run in batches of the limit, in the order they came', async () => {
    const { add, runs } = watched(2)
    const all = ['one', 'two', 'three', 'four'].map((item) => add('a', item))
    for (const [index, items] of [['one'], ['two', 'three'], ['four']].entries()) {
      await expect.poll(() => runs[index]?.items).toEqual(items)
      runs[index]?.end(items)
    }
    expect(await Promise.all(all)).toEqual(['one', 'two', 'three', 'four'])
  })

  test('A batch fails together, and the next is run all the same', async () => {
    const { add, runs } = watched()
    const failed = add('a', 'one')
    const next = add('a', 'two')
    runs[0]?.fail(new Error('no'))
    await expect(failed).rejects.toThrow('no')
    await expect.poll(() => runs[1]?.items).toEqual(['two'])
    runs[1]?.end(['2'])
    expect(await next).toBe('2')
  })

  test('A call fails alone where each has a promise of its own', async () => {
    const add = createBatcher<string, string>(10, async (_, items) =>
      items.map((item) => (item === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(item))),
    )
    void add('a', 'first')
    const [bad, good] = await Promise.allSettled([add('a', 'bad'), add('a', 'good')])
    expect([bad.status, good.status]).toEqual(['rejected', 'fulfilled'])
  })

  test('A call waits for a run that never ends only so long', async () => {
    const { add, runs } = watched()
    void add('a', 'one')
    const next = add('a', 'two')
    await expect.poll(() => runs.length, { timeout: 30_000 }).toBe(2)
    runs[1]?.end(['2'])
    expect(await next).toBe('2')
  })

  test('A batch is run in the context of none of its callers', async () => {
    const context = new AsyncLocalStorage<string>()
    const add = createBatcher<string, string | undefined>(10, async (_, items) => items.map(() => context.getStore()))
    expect(await context.run('of the first', () => add('a', 'one'))).toBe(undefined)
  })
})
