import { expect, test } from 'vitest'
import type { SigningKey } from '../../../ground/keys/signing-key.ts'
import { createSignatures } from './signatures.ts'
import type { Signed } from './thread.ts'

const key = {} as SigningKey

/** Each message is answered when `answer` is called. */
function messages() {
  const sent: string[][] = []
  let answer: (signed: Signed[] | undefined) => void = () => {}
  const sign = createSignatures((unsigned) => {
    sent.push(unsigned.map(({ payload }) => payload))
    const { promise, resolve } = Promise.withResolvers<Signed[] | undefined>()
    answer = resolve
    return promise
  })
  return {
    sent,
    sign: (organizationId: string, payload: string) => sign(organizationId, { key, payload }),
    answerLast: () => answer(sent.at(-1)?.map((payload) => ({ jwt: `jwt of ${payload}` }))),
    fail: () => answer(undefined),
  }
}

test('Signatures go sixteen in a message, organizations in turn, and each caller gets its own', async () => {
  const { sent, sign, answerLast } = messages()
  const many = Array.from({ length: 30 }, (_, number) => sign('a', `a${number}`))
  const few = ['b0', 'b1'].map((payload) => sign('b', payload))
  await expect.poll(() => sent.length).toBe(1)
  expect(sent[0]?.slice(0, 6)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'a3'])
  expect(sent[0]).toHaveLength(16)
  answerLast()
  expect(await Promise.all(few)).toEqual(['jwt of b0', 'jwt of b1'])
  await expect.poll(() => sent.length).toBe(2)
  expect(sent[1]).toHaveLength(16)
  answerLast()
  expect((await Promise.all(many)).at(-1)).toBe('jwt of a29')
  const later = sign('a', 'later')
  await expect.poll(() => sent.length).toBe(3)
  answerLast()
  expect(await later).toBe('jwt of later')
})

test('Signatures of a thread that has failed are a 503, and the next ones are tried again', async () => {
  const { sent, sign, answerLast, fail } = messages()
  const lost = sign('a', 'lost').catch((error) => error)
  await expect.poll(() => sent.length).toBe(1)
  const next = sign('a', 'next')
  fail()
  expect(await lost).toMatchObject({ status: 503 })
  await expect.poll(() => sent.length).toBe(2)
  answerLast()
  expect(await next).toBe('jwt of next')
})
