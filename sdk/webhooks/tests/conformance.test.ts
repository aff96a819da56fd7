import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createKeySet, verifyWebhook } from '../src/index.ts'
import { type KeySetAnswer, startKeySetServer } from './key-set-server.ts'

type Body = string | { repeat: string; times: number }
type Request = { body: Body; expect: 'accepted' | 'refused'; code?: string }
type Vectors = {
  now: number
  receiver: { issuer: string; organization_id: string; target_url: string }
  key_set: object
  tokens: (Request & { name: string })[]
  stories: {
    name: string
    steps: { at: number; key_set: KeySetAnswer; fetches_at_most: number; requests: Request[] }[]
  }[]
}

const file = join(import.meta.dirname, '../conformance/vectors.json')
const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))
const { issuer, organization_id: organizationId, target_url: targetUrl } = vectors.receiver

let keySetServer: Awaited<ReturnType<typeof startKeySetServer>>
beforeEach(async () => {
  keySetServer = await startKeySetServer()
})
afterEach(() => keySetServer.stop())

/** A receiver that knows no keys yet, at a time that can be set. */
function makeReceiver({ patienceMs }: { patienceMs: number }) {
  const clock = { seconds: vectors.now }
  const now = () => clock.seconds * 1000
  const keySet = createKeySet({ issuer, organizationId, fetch: keySetServer.fetch, patienceMs, now })
  const receiver = { issuer, organizationId, targetUrl, keySet, now }
  return { clock, verdictOn: (body: Body) => verdictOn(body, receiver) }
}

async function verdictOn(body: Body, receiver: Parameters<typeof verifyWebhook>[1]) {
  const text = typeof body === 'string' ? body : body.repeat.repeat(body.times)
  const inText = await outcomeOf(verifyWebhook(text, receiver))
  const inBytes = await outcomeOf(verifyWebhook(new TextEncoder().encode(text), receiver))
  expect(inBytes).toBe(inText)
  return inText
}

const outcomeOf = (verified: Promise<unknown>) =>
  verified.then(
    () => 'accepted',
    (error) => error.code ?? error,
  )
const expected = ({ expect: verdict, code }: Request) => code ?? verdict

describe('The library against the conformance kit (6.3)', () => {
  // Proves 6.3/1, 6.3/2, 6.3/5, 6.3/8.
  test.each(vectors.tokens)('The library judges a token as the kit demands: $name', async (token) => {
    keySetServer.answerWith({ status: 200, body: vectors.key_set })
    expect(await makeReceiver({ patienceMs: 30_000 }).verdictOn(token.body)).toBe(expected(token))
  })

  // Proves 4.8/6, 6.3/2.
  test.each(vectors.stories)('The library judges a key set story as the kit demands: $name', async ({ steps }) => {
    const isSlow = steps.some(({ key_set }) => key_set.status === 'never')
    const { clock, verdictOn } = makeReceiver({ patienceMs: isSlow ? 100 : 30_000 })
    for (const { at, key_set, fetches_at_most, requests } of steps) {
      clock.seconds = vectors.now + at
      keySetServer.answerWith(key_set)
      keySetServer.fetches.length = 0
      const verdicts = await Promise.all(requests.map(({ body }) => verdictOn(body)))
      expect(verdicts, `at ${at}`).toEqual(requests.map(expected))
      expect(keySetServer.fetches.length, `fetches at ${at}`).toBeLessThanOrEqual(fetches_at_most)
    }
  })

  // The kit leaves it open how long, from ten minutes to a day.
  test('While the key set is down, its keys go on for an hour after their five minutes', async () => {
    let seconds = 0
    const { fetch } = keySetServer
    const keySet = createKeySet({ issuer, organizationId, fetch, now: () => seconds * 1_000 })
    keySetServer.answerWith({ status: 200, body: vectors.key_set })
    await keySet.key('test-only-current')
    keySetServer.answerWith({ status: 503 })
    seconds = 3_899
    await keySet.key('test-only-current')
    seconds = 3_910
    await expect(keySet.key('test-only-current')).rejects.toMatchObject({ code: 'keys_unavailable' })
  })

  test('The kit has a request for every code of refusal', () => {
    const requests = [
      ...vectors.tokens,
      ...vectors.stories.flatMap(({ steps }) => steps.flatMap((step) => step.requests)),
    ]
    expect(new Set(requests.map(expected)).size).toBe(12)
  })
})
