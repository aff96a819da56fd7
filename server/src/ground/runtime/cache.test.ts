import { describe, expect, test } from 'vitest'
import { createCache } from './cache.ts'
import { runningClock } from './clock.ts'

/** Each look-up ends when the test says so. */
function watched(maxKeys = 10) {
  const clock = runningClock()
  const begun: { key: string; end: (found?: string) => void; fail: (error: Error) => void }[] = []
  const cache = createCache<[string], string>(
    clock,
    maxKeys,
    (key) => new Promise((end, fail) => begun.push({ key, end, fail })),
  )
  const pass = (ms: number) => clock.set(clock.now() + ms)
  return { ...cache, begun, pass, keys: () => begun.map(({ key }) => key) }
}

describe('A cached value', () => {
  test('A cached value is kept for two seconds, for its key', async () => {
    const { find, begun, keys, pass } = watched()
    const first = find('a')
    begun[0]?.end('one')
    expect(await first).toBe('one')
    pass(1_900)
    expect(await find('a')).toBe('one')
    void find('b')
    expect(keys()).toEqual(['a', 'b'])
    pass(100)
    void find('a')
    expect(keys()).toEqual(['a', 'b', 'a'])
  })

  test('A look-up is shared by all who ask while it is under way, and not by those who ask after a change', async () => {
    const { find, forget, begun, keys } = watched()
    const before = [find('a'), find('a')]
    forget('a')
    const after = find('a')
    begun[0]?.end('old')
    begun[1]?.end('new')
    expect(await Promise.all(before)).toEqual(['old', 'old'])
    expect(await after).toBe('new')
    expect(await find('a')).toBe('new')
    expect(keys()).toEqual(['a', 'a'])
  })

  test('A look-up is not kept when it found nothing, nor when it failed', async () => {
    const { find, begun, keys } = watched()
    const nothing = find('a')
    begun[0]?.end()
    expect(await nothing).toBeUndefined()
    const failed = find('a')
    begun[1]?.fail(new Error('away'))
    await expect(failed).rejects.toThrow('away')
    void find('a')
    expect(keys()).toEqual(['a', 'a', 'a'])
  })

  test('A cached value is looked up again when the clock is set back', async () => {
    const { find, begun, keys, pass } = watched()
    const found = find('a')
    begun[0]?.end('one')
    await found
    pass(-2_100)
    void find('a')
    expect(keys()).toEqual(['a', 'a'])
  })

  test('A cached value is not forgotten when a look-up from before a change fails', async () => {
    const { find, forget, begun, keys } = watched()
    const before = find('a')
    forget('a')
    const after = find('a')
    begun[0]?.fail(new Error('away'))
    await expect(before).rejects.toThrow('away')
    void find('a')
    begun[1]?.end('new')
    expect(await after).toBe('new')
    expect(await find('a')).toBe('new')
    expect(keys()).toEqual(['a', 'a'])
  })

  test('A cached value belongs to its key, whatever parts that has', async () => {
    const cache = createCache(runningClock(), 10, async (one: string, other: string) => `${one} and ${other}`)
    expect(await cache.find('a', 'b')).toBe('a and b')
    expect(await cache.find('b', 'a')).toBe('b and a')
  })

  test('A cached value stays, however many missing ones are asked for', async () => {
    const { find, begun, keys } = watched(2)
    const found = find('a')
    begun[0]?.end('one')
    await found
    for (const key of ['x', 'y', 'z']) {
      const nothing = find(key)
      begun.at(-1)?.end()
      await nothing
    }
    expect(await find('a')).toBe('one')
    expect(keys()).toEqual(['a', 'x', 'y', 'z'])
  })

  test('Cached values are kept for so many keys; the one looked up longest ago goes first', async () => {
    const { find, begun, keys } = watched(2)
    for (const key of ['a', 'b', 'c']) {
      const found = find(key)
      begun.at(-1)?.end(key)
      await found
    }
    await find('c')
    await find('b')
    void find('a')
    expect(keys()).toEqual(['a', 'b', 'c', 'a'])
  })
})
