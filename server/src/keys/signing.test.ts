import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { importJWK, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signJwt } from './sign-jwt.ts'
import { openSigning, type Signing, worthSending } from './signing.ts'
import { makeSigningKey, openSigningKey } from './signing-key.ts'

// The real one, counted in this thread alone.
vi.mock('./sign-jwt.ts', async (original) => {
  const real = await original<typeof import('./sign-jwt.ts')>()
  return { ...real, signJwt: vi.fn(real.signJwt) }
})

let errors: unknown[]
let signing: Signing

beforeEach(() => {
  errors = []
  signing = openSigning((error) => errors.push(error))
})

afterEach(() => signing.close())

const keys = Array.from({ length: 5 }, () => {
  const { publicJwk, privateKey } = makeSigningKey()
  return { publicJwk, key: openSigningKey(privateKey) }
})
const keyOf = (n: number) => keys[n % keys.length] as (typeof keys)[number]

/** `count` tokens, of the keys in turn. */
const tokensOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ key: keyOf(n).key, payload: `{"n":${n},"of":${count}}` }))

async function expectSigned(jwts: string[], count: number) {
  expect(jwts).toHaveLength(count)
  for (const [n, jwt] of jwts.entries()) {
    const { payload } = await jwtVerify(jwt, await importJWK(keyOf(n).publicJwk))
    expect(payload).toEqual({ n, of: count })
  }
}

/** How many of them were signed in this thread. */
async function signedHere(count: number): Promise<number> {
  vi.mocked(signJwt).mockClear()
  await expectSigned(await signing.sign(tokensOf(count)), count)
  return vi.mocked(signJwt).mock.calls.length
}

/** Of this process: the 19th field of proc_pid_stat(5); the second, in parentheses, may hold spaces. */
const prioritiesOfThreads = () =>
  readdirSync('/proc/self/task').map((id) =>
    Number(
      readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')[16],
    ),
  )

const untilThreadSigns = () => expect.poll(() => signedHere(worthSending), { timeout: 30_000 }).toBe(0)

test('a few are signed here, and so are many before the thread is ready', async () => {
  for (const count of [0, 1, worthSending - 1]) expect(await signedHere(count)).toBe(count)
  vi.mocked(signJwt).mockClear()
  const [first, second] = [signing.sign(tokensOf(worthSending)), signing.sign(tokensOf(200))]
  await expectSigned(await first, worthSending)
  await expectSigned(await second, 200)
  expect(vi.mocked(signJwt)).toHaveBeenCalledTimes(worthSending + 200)
})

test('once it is ready the thread signs many, each with its key, and in their order', async () => {
  await untilThreadSigns()
  for (const count of [worthSending, 500]) expect(await signedHere(count)).toBe(0)
  expect(await signedHere(worthSending - 1)).toBe(worthSending - 1)
  expect(errors).toEqual([])
})

test.runIf(process.platform === 'linux' && getPriority() < 15)(
  'the thread has a lower priority than the process',
  async () => {
    expect(prioritiesOfThreads()).not.toContain(getPriority() + 5)
    await untilThreadSigns()
    expect(prioritiesOfThreads()).toContain(getPriority() + 5)
  },
)

test('what is asked for at once is answered each with its own', async () => {
  await untilThreadSigns()
  const counts = [16, 700, 40, 3, 90]
  const answers = await Promise.all(counts.map((count) => signing.sign(tokensOf(count))))
  for (const [index, jwts] of answers.entries()) await expectSigned(jwts, counts[index] as number)
})

test('what the thread had not signed when it ended is signed here, and so is what comes after', async () => {
  await untilThreadSigns()
  vi.mocked(signJwt).mockClear()
  const [many, others] = [signing.sign(tokensOf(20_000)), signing.sign(tokensOf(200))]
  await signing.close()
  expect(await many).toHaveLength(20_000)
  await expectSigned(await others, 200)
  expect(vi.mocked(signJwt)).toHaveBeenCalledTimes(20_200)
  expect(await signedHere(50)).toBe(50)
  expect(errors).toEqual([])
})

test('a thread that does not answer in time is given up, and its work is done here', async () => {
  await untilThreadSigns()
  vi.mocked(signJwt).mockClear()
  const jwts = await signing.sign(tokensOf(60_000))
  expect(jwts).toHaveLength(60_000)
  expect(vi.mocked(signJwt)).toHaveBeenCalledTimes(60_000)
  await expect.poll(() => errors).toEqual([new Error('the thread that signs did not answer')])
}, 30_000)

test('a thread that fails is told of, and its work is done here', async () => {
  await untilThreadSigns()
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const bad = { key: { ...keyOf(0).key, privateKey: publicKey }, payload: '{}' }
  const underWay = [signing.sign([...tokensOf(20), bad]), signing.sign(tokensOf(30))]
  await expect(underWay[0]).rejects.toThrow()
  await expectSigned((await underWay[1]) as string[], 30)
  await expect.poll(() => errors).toHaveLength(1)
  expect(await signedHere(40)).toBe(40)
})
