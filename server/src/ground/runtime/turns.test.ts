import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

function begunWork() {
  const turns = createTurns({ total: () => 3, perOrganization: () => 2 })
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    turns,
    begin: (organizationId: string, name: string) =>
      turns.take(organizationId, () => {
        begun.push(name)
        const end = Promise.withResolvers<string>()
        ends.set(name, end)
        return end.promise
      }),
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

test('Work of one organization leaves room for another, and all of them come in turn', async () => {
  const { begun, begin, end } = begunWork()
  const first = ['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name))
  const others = ['b1', 'b2'].map((name) => begin('b', name))
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1'])
  end('a1')
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  expect(await first[0]).toBe('a1')
  end('a2')
  await expect.poll(() => begun.at(-1)).toBe('b2')
  end('b1')
  await expect.poll(() => begun.at(-1)).toBe('a4')
  for (const name of begun) end(name)
  expect(await Promise.all([...first, ...others])).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
})

test('Work that fails gives its turn to the next one', async () => {
  const { begun, begin, fail, end } = begunWork()
  const [one, two, three] = ['1', '2', '3'].map((name) => begin('a', name))
  await expect.poll(() => begun).toEqual(['1', '2'])
  fail('1')
  await expect(one).rejects.toThrow('1')
  await expect.poll(() => begun).toEqual(['1', '2', '3'])
  end('2')
  end('3')
  expect(await Promise.all([two, three])).toEqual(['2', '3'])
})

test('Work that gets no turn in its time is not begun, and takes no turn of others', async () => {
  const { turns, begun, begin, end } = begunWork()
  const running = ['a1', 'a2'].map((name) => begin('a', name))
  await expect.poll(() => begun).toEqual(['a1', 'a2'])
  expect(
    await turns.takeWithin(
      20,
      'a',
      async () => 'late',
      () => 'none',
    ),
  ).toBe('none')
  expect([turns.running(), turns.waiting()]).toEqual([2, 0])
  for (const name of ['a1', 'a2']) end(name)
  await Promise.all(running)
  expect(
    await turns.takeWithin(
      20,
      'a',
      async () => 'in time',
      () => 'none',
    ),
  ).toBe('in time')
})

test('Organizations that wait have turns one after the other, and nobody who comes anew goes before them', async () => {
  const { begun, begin, end } = begunWork()
  const all = ['a1', 'a2', 'b1', 'b2', 'c1', 'a3', 'b3', 'a4', 'c2'].map((name) => begin(name[0] as string, name))
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1'])
  for (let ended = 0; ended < all.length; ended++) {
    await expect.poll(() => begun.length).toBeGreaterThan(ended)
    end(begun[ended] as string)
  }
  await Promise.all(all)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'a3', 'b3', 'c2', 'a4'])
})

test('No more wait than may, and the next one is refused at once', async () => {
  const turns = createTurns({ total: () => 1, perOrganization: () => 1, waiting: 2 })
  const end = Promise.withResolvers<string>()
  const taken = ['a', 'a', 'b'].map((organizationId) => turns.take(organizationId, () => end.promise))
  const late = () =>
    turns.takeWithin(
      60_000,
      'c',
      async () => 'late',
      () => 'none',
    )
  expect(await late()).toBe('none')
  await expect(turns.take('c', async () => 'late')).rejects.toMatchObject({ status: 503 })
  end.resolve('done')
  expect(await Promise.all(taken)).toEqual(['done', 'done', 'done'])
  expect(await late()).toBe('late')
})
