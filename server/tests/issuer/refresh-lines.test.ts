import { createHash } from 'node:crypto'
import { tokenRevocation } from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import type { AnotherProcess, Tokens } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  countFulfilled,
  dayMs,
  hourMs,
  invalidGrant,
  issuers,
  offline,
  openIssuer,
  person,
  refresh,
  secondMs,
  tokensOf,
  userInfo,
} from '../support/own-issuer.ts'

const hashOf = ({ refresh_token = '' }: Tokens) => createHash('sha256').update(refresh_token).digest()

/** As if its first use had been so much earlier, by the clock of the database. */
const age = (tokens: Tokens, seconds: number) =>
  issuers.database.write.rows(sql`
    update issuer_tokens set consumed_at = consumed_at - ${seconds}::int * interval '1 s' where id_hash = ${hashOf(tokens)}`)

/** The refresh tokens of a sign-in that may still be used. */
async function countLines(of: Tokens): Promise<number> {
  const now = new Date(issuers.clock.now()).toISOString()
  const rows = await issuers.database.read.rows(sql<{ id_hash: Buffer }>`
    select id_hash from issuer_tokens
     where grant_id = (select grant_id from issuer_tokens where id_hash = ${hashOf(of)})
       and kind = 'RefreshToken' and consumed_at is null and expires_at > ${now}`)
  return rows.length
}

const times = <Made>(count: number, make: () => Promise<Made>): Promise<Made>[] => Array.from({ length: count }, make)

/** Uses one token so often, at once. */
const fork = (tokens: Tokens, count: number) => Promise.all(times(count, () => refresh(tokens)))

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('A refresh token that is used at once', () => {
  let other: AnotherProcess
  beforeAll(async () => {
    other = await issuers.another()
  })
  afterAll(() => other?.stop())

  // Proves sign-in/60.
  test('Five refreshes at once, forty times one after another, give five pairs each, and all lines go on', async () => {
    let first = await tokensOf(offline)
    for (let round = 0; round < 40; round++) first = (await fork(first, 5))[round % 5] as Tokens
    const lines = await fork(first, 5)
    for (const line of lines) expect(await userInfo(await refresh(line))).toMatchObject({ sub: person })
  })

  test('Of twenty-five refreshes at once twenty give a pair, and the sign-in goes on by each of them', async () => {
    const tokens = await tokensOf(offline)
    const next: Tokens[] = []
    const exchange = async () => void next.push(await refresh(tokens))
    expect(await countFulfilled(times(25, exchange), invalidGrant)).toBe(20)
    expect(new Set(next.map(({ refresh_token }) => refresh_token)).size).toBe(20)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    expect(
      await countFulfilled(
        next.map((each) => refresh(each)),
        invalidGrant,
      ),
    ).toBe(20)
  })

  test('Of twenty-six refreshes at two processes twenty give a pair, whichever was asked, and the sign-in goes on', async () => {
    const tokens = await tokensOf(offline)
    const here = async () => (await refresh(tokens)) as unknown
    const there = async () => {
      const { status, body } = await other.refresh(app, tokens.refresh_token ?? '')
      if (status !== 200) throw body
      return body
    }
    expect(await countFulfilled([...times(13, here), ...times(13, there)], invalidGrant)).toBe(20)
    expect(await countLines(tokens)).toBe(20)
  })

  test('A use too many within the grace ends nothing; later, the same token ends all lines; revoked, it does so at once', async () => {
    const [late, revoked] = [await tokensOf(offline), await tokensOf(offline)]
    for (const tokens of [late, revoked]) {
      const [line] = await fork(tokens, 20)
      await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
      await refresh(line as Tokens)
    }
    await age(late, 11)
    await expect(refresh(late)).rejects.toEqual(invalidGrant)
    await tokenRevocation(app.config, revoked.refresh_token ?? '')
    for (const tokens of [late, revoked]) expect(await countLines(tokens)).toBe(0)
  })

  test('Five lines that each refresh on by themselves, at once and at two processes, all live after twelve hours of it', async () => {
    let lines = (await fork(await tokensOf(offline), 5)).map(({ refresh_token = '' }) => refresh_token)
    const [first] = lines
    for (let hour = 0; hour < 12; hour++) {
      issuers.clock.advance(hourMs)
      const one = async (token: string, at: number) =>
        (hour + at) % 2
          ? ((await other.refresh(app, token)).body as Tokens).refresh_token
          : (await refresh({ refresh_token: token } as Tokens)).refresh_token
      lines = (await Promise.all(lines.map(one))) as string[]
      expect(lines).toEqual(lines.map(() => expect.any(String)))
    }
    expect(await countLines({ refresh_token: first } as Tokens)).toBe(5)
  })
})

describe('A line of refresh tokens', () => {
  // Proves sign-in/60.
  test('A line that is not used within a day of the use of another one ends, and the other goes on', async () => {
    const [used, left] = (await fork(await tokensOf(offline), 2)) as [Tokens, Tokens]
    issuers.clock.advance(2 * dayMs)
    const next = await refresh(used)
    issuers.clock.advance(dayMs + secondMs)
    await expect(refresh(left)).rejects.toEqual(invalidGrant)
    expect(await refresh(next)).toHaveProperty('refresh_token')
  })

  test('A line that is used within that day goes on, and so does one beside which no other is used', async () => {
    const [used, left] = (await fork(await tokensOf(offline), 2)) as [Tokens, Tokens]
    await refresh(used)
    issuers.clock.advance(dayMs - secondMs)
    const next = await refresh(left)
    const [alone] = await fork(await tokensOf(offline), 2)
    issuers.clock.advance(29 * dayMs)
    expect(await refresh(alone as Tokens)).toHaveProperty('refresh_token')
    expect(await refresh(next)).toHaveProperty('refresh_token')
  })

  test('A token that is used again does not end the line that its first use gave', async () => {
    const tokens = await tokensOf(offline)
    const kept = await refresh(tokens)
    await refresh(tokens)
    issuers.clock.advance(29 * dayMs)
    expect(await refresh(kept)).toHaveProperty('refresh_token')
  })

  test('Lines of a sign-in end together after ninety days, however late they began', async () => {
    let used = await tokensOf(offline)
    for (const days of [29, 29, 29]) {
      issuers.clock.advance(days * dayMs)
      used = await refresh(used)
    }
    const lines = await fork(used, 3)
    issuers.clock.advance(3 * dayMs + secondMs)
    for (const line of lines) await expect(refresh(line)).rejects.toEqual(invalidGrant)
  })

  // Proves sign-in/60.
  test('A sign-in has a hundred lines at most, however its tokens multiply: the oldest unused one ends', async () => {
    const tokens = await tokensOf(offline)
    const [used, oldest] = (await fork(tokens, 20)) as [Tokens, Tokens]
    let last = used
    for (let round = 0; round < 8; round++) [last] = (await fork(last, 20)) as [Tokens]
    // Those that were made at once did not see each other.
    expect(await countLines(tokens)).toBeLessThanOrEqual(120)
    for (let use = 0; use < 2; use++) await refresh(last)
    expect(await countLines(tokens)).toBe(100)
    await expect(refresh(oldest)).rejects.toEqual(invalidGrant)
    expect(await refresh(await refresh(last))).toHaveProperty('refresh_token')
  })
})
