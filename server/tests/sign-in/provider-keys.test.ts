import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeHostile, count, failsWith, hostile, openAt, openHostile, signIn } from '../support/hostile-provider.ts'
import { client, otherClient } from '../support/upstreams.ts'

beforeAll(openHostile)
afterAll(closeHostile)

/** A clock that stands still, and who signs in at one provider by it. */
function at(lie: string) {
  let now = Date.now()
  const providers = openAt('provider_a', lie, { now: () => now })
  return {
    signIn: (credential = {}) => signIn(lie, { providers, credential }),
    fetches: () => count(`/${lie}/keys`),
    pass: (ms: number) => {
      now += ms
    },
  }
}
const unknownKey = failsWith('oidc_token_invalid', /no published key fits/)
const minutes = 60_000

describe('A key that is fetched when it is needed', () => {
  test('A key that the provider changes right after a fetch is fetched at once, however often', async () => {
    const { signIn, fetches } = at('rotates')
    for (let times = 1; times <= 4; times++) {
      await signIn()
      expect(await fetches()).toBe(times)
    }
  })

  test.each(['same-name-later', 'no-name-later'])(
    'A key that is changed under its old name, or none, too: %s',
    async (lie) => {
      const { signIn, fetches } = at(lie)
      await signIn()
      await signIn()
      expect(await fetches()).toBe(2)
    },
  )

  test('Only a fetch that did not help is followed by a cooldown, of a second, then twice as long, of a minute at most', async () => {
    const { signIn, fetches, pass } = at('unknown-key')
    await expect(signIn()).rejects.toMatchObject(unknownKey)
    expect(await fetches()).toBe(1)
    for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      pass(seconds * 1_000 - 1)
      await expect(signIn()).rejects.toMatchObject(unknownKey)
      expect([seconds, await fetches()]).toEqual([seconds, index + 1])
      pass(1)
      if (index + 1 < 8) await expect(signIn()).rejects.toMatchObject(unknownKey)
    }
  })

  test('Many with unknown keys at one moment lengthen the cooldown once', async () => {
    const { signIn, fetches, pass } = at('unknown-key')
    const before = await fetches()
    await Promise.allSettled(Array.from({ length: 5 }, () => signIn()))
    expect(await fetches()).toBe(before + 1)
    pass(1_000)
    await expect(signIn()).rejects.toMatchObject(unknownKey)
    expect(await fetches()).toBe(before + 2)
  })

  // Proves sign-in/71.
  test('Forged tokens of one organization keep no other from a key of the same provider', async () => {
    const { signIn, fetches } = at('forges-for-another')
    const forger = { ...otherClient, id: '0190a5a0-0000-7000-8000-000000000666' }
    await signIn(client)
    for (let times = 0; times < 20; times++) await expect(signIn(forger)).rejects.toMatchObject(unknownKey)
    expect(await fetches()).toBe(2)
    await fetch(`${hostile.urls.base}/forges-for-another/rotated`)
    await signIn(client)
    expect(await fetches()).toBe(3)
  })
})

describe('A key set that is none', () => {
  // Proves sign-in/71.
  test.each(['keys-empty-later', 'keys-away-later', 'keys-redirect-later'])(
    'The earlier set is used for an hour, and a newer one looked for once a minute: %s',
    async (lie) => {
      const { signIn, fetches, pass } = at(lie)
      await signIn()
      pass(10 * minutes)
      await signIn()
      await signIn()
      expect(await fetches()).toBe(2)
      pass(minutes)
      await signIn()
      expect(await fetches()).toBe(3)
      pass(49 * minutes)
      await expect(signIn()).rejects.toThrow(/^keys: /)
    },
  )

  test.each(['keys-partial-later', 'keys-lack-one-later'])(
    'A key that a newer set lacks, or has but a part of, is used for ten minutes more: %s',
    async (lie) => {
      const { signIn, pass } = at(lie)
      await signIn()
      pass(10 * minutes)
      await signIn()
      pass(5 * minutes)
      await signIn()
      pass(5 * minutes)
      await expect(signIn()).rejects.toMatchObject(unknownKey)
    },
  )
})
