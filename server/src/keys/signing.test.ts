import { importJWK, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSigning, type Signing } from './signing.ts'
import { makeSigningKey, openSigningKey } from './signing-key.ts'

const errors: unknown[] = []
let signing: Signing

beforeEach(() => {
  signing = openSigning((error) => errors.push(error))
})

afterEach(async () => {
  await signing.close()
  expect(errors).toEqual([])
})

const makeKeys = (count: number) =>
  Array.from({ length: count }, () => {
    const { publicJwk, privateKey } = makeSigningKey()
    return { publicJwk, key: openSigningKey(privateKey) }
  })
const keys = makeKeys(5)

/** `count` tokens, of the keys in turn. */
const tokensOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...keys[n % keys.length], key: keyOf(n).key, payload: `{"n":${n}}` }))

const keyOf = (n: number) => keys[n % keys.length] as (typeof keys)[number]

async function expectSigned(jwts: string[]) {
  for (const [n, jwt] of jwts.entries()) {
    const { payload } = await jwtVerify(jwt, await importJWK(keyOf(n).publicJwk))
    expect(payload).toEqual({ n })
  }
}

/** The CPU time of this thread is less than half of the process's. */
async function isSignedElsewhere(tokens: ReturnType<typeof tokensOf>, by = signing) {
  const [own, all] = [process.threadCpuUsage(), process.cpuUsage()]
  await by.sign(tokens)
  const { user } = process.threadCpuUsage(own)
  return user < process.cpuUsage(all).user / 2
}

test.each([0, 1, 15, 16, 500])('%i tokens are signed, each with its key, in their order', async (count) => {
  const jwts = await signing.sign(tokensOf(count))
  expect(jwts).toHaveLength(count)
  await expectSigned(jwts)
})

test('many are signed in another thread, once that runs, also with keys that it was not given yet', async () => {
  await expect.poll(() => isSignedElsewhere(tokensOf(2_000))).toBe(true)
  keys.push(...makeKeys(3))
  await expectSigned(await signing.sign(tokensOf(100)))
})

test('what is asked for at once is answered each with its own', async () => {
  await expect.poll(() => isSignedElsewhere(tokensOf(2_000))).toBe(true)
  const counts = [16, 700, 40, 3, 90]
  const answers = await Promise.all(counts.map((count) => signing.sign(tokensOf(count))))
  expect(answers.map(({ length }) => length)).toEqual(counts)
  for (const jwts of answers) await expectSigned(jwts)
})

test('a key that the thread has forgotten is given to it again', async () => {
  const forgetful = openSigning((error) => errors.push(error), 2)
  await expect.poll(() => isSignedElsewhere(tokensOf(2_000), forgetful)).toBe(true)
  await expectSigned(await forgetful.sign(tokensOf(100)))
  await forgetful.close()
})

test('what the thread had not signed when it ended is signed here, and so is what comes after', async () => {
  await expect.poll(() => isSignedElsewhere(tokensOf(2_000))).toBe(true)
  const under = [signing.sign(tokensOf(300)), signing.sign(tokensOf(200))]
  await signing.close()
  expect((await Promise.all(under)).map(({ length }) => length)).toEqual([300, 200])
  await expectSigned(await signing.sign(tokensOf(50)))
})
