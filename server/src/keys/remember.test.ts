import { expect, test } from 'vitest'
import { remember } from './remember.ts'

function start({ maxKept = 10 } = {}) {
  const time = { now: 0 }
  const asked: string[] = []
  const answers: PromiseWithResolvers<string>[] = []
  const lookUp = (name: string) => {
    asked.push(name)
    const answer = Promise.withResolvers<string>()
    answers.push(answer)
    return answer.promise
  }
  return { time, asked, answers, find: remember(lookUp, { clock: { now: () => time.now }, maxKept, keepMs: 1_000 }) }
}

test('callers of one name share a look-up, while it is under way and afterwards', async () => {
  const { find, asked, answers } = start()
  const both = [find('a'), find('a')]
  answers[0]?.resolve('first')
  expect(await Promise.all([...both, find('a')])).toEqual(['first', 'first', 'first'])
  expect(asked).toEqual(['a'])
})

test('an answer is given again until its time is over, and asking does not prolong that', async () => {
  const { find, asked, answers, time } = start()
  find('a')
  answers[0]?.resolve('old')
  time.now = 999
  expect(await find('a')).toBe('old')
  time.now = 1_000
  const answer = find('a')
  answers[1]?.resolve('new')
  expect(await answer).toBe('new')
  expect(asked).toEqual(['a', 'a'])
})

test('a failed look-up fails for all who shared it, and is made again', async () => {
  const { find, asked, answers } = start()
  const both = [find('a'), find('a')]
  answers[0]?.reject(new Error('away'))
  for (const each of both) await expect(each).rejects.toThrow('away')
  find('a')
  expect(asked).toEqual(['a', 'a'])
})

test('a look-up that fails late does not forget the one that replaced it', async () => {
  const { find, asked, answers, time } = start()
  const first = find('a')
  time.now = 1_000
  find('a')
  answers[0]?.reject(new Error('away'))
  await expect(first).rejects.toThrow('away')
  find('a')
  expect(asked).toEqual(['a', 'a'])
})

test('of too many names the one asked for longest ago is forgotten', () => {
  const { find, asked } = start({ maxKept: 2 })
  for (const name of ['a', 'b', 'a', 'c', 'a']) find(name)
  expect(asked).toEqual(['a', 'b', 'c'])
  find('b')
  expect(asked).toEqual(['a', 'b', 'c', 'b'])
})
