import { expect, test } from 'vitest'
import { createReadingTurns } from './reading-turns.ts'

function begunReads() {
  const readInTurn = createReadingTurns({ total: 3, perOrganization: 2 })
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    begin: (organizationId: string, name: string) =>
      readInTurn(organizationId, () => {
        begun.push(name)
        const end = Promise.withResolvers<string>()
        ends.set(name, end)
        return end.promise
      }),
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

test('Reads of one organization leave room for another, and all of them come in turn', async () => {
  const { begun, begin, end } = begunReads()
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

test('A read that fails gives its turn to the next one', async () => {
  const { begun, begin, fail, end } = begunReads()
  const [one, two, three] = ['1', '2', '3'].map((name) => begin('a', name))
  await expect.poll(() => begun).toEqual(['1', '2'])
  fail('1')
  await expect(one).rejects.toThrow('1')
  await expect.poll(() => begun).toEqual(['1', '2', '3'])
  end('2')
  end('3')
  expect(await Promise.all([two, three])).toEqual(['2', '3'])
})
