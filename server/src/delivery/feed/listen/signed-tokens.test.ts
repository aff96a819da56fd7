import { expect, test } from 'vitest'
import { createSignedTokens } from './signed-tokens.ts'

function signing(characters = 10) {
  const tokens = createSignedTokens()
  let signed = 0
  const sign = async (leftMs = 5_000) => ({ data: `${++signed}`.padEnd(characters, 'x'), sentWithinMs: () => leftMs })
  return { of: (name: string, leftMs?: number) => tokens.of(name, () => sign(leftMs)), signed: () => signed, tokens }
}

test('A token is signed once for all who ask for it, at once and later', async () => {
  const { of, signed } = signing()
  const all = await Promise.all(Array.from({ length: 50 }, () => of('event target')))
  all.push(await of('event target'))
  expect(new Set(all).size).toBe(1)
  await of('event another-target')
  expect(signed()).toBe(2)
})

test('A token that may hardly be sent any more is signed anew', async () => {
  const { of, signed } = signing()
  await of('one', 1_999)
  await of('one', 2_000)
  await of('one')
  expect(signed()).toBe(2)
})

test('A token that could not be signed is tried again', async () => {
  const { of, tokens } = signing()
  await expect(tokens.of('one', () => Promise.reject(new Error('no key')))).rejects.toThrow('no key')
  expect((await of('one')).data).toMatch(/^1/)
})

test('Tokens are kept up to so many characters, and the oldest go first', async () => {
  const { of, signed } = signing(4_194_304)
  for (const name of ['1', '2', '3', '4', '5']) await of(name)
  await of('2')
  expect(signed()).toBe(5)
  await of('1')
  expect(signed()).toBe(6)
})
