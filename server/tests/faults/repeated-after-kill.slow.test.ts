import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { isReplayed, keyed } from '../support/keyed-calls.ts'
import { randomFrom } from '../support/random.ts'
import { type Answer, type Organization, startSignet } from '../support/signet.ts'

const rounds = 3
const callsAtOnce = 40
const random = randomFrom(1)

/** Until the database has noticed that the process has died, the call counts as being handled. */
async function untilAnswered(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call()
    if (answer.status !== 409) return answer
    expect(answer.headers.get('retry-after')).toBe('1')
    await wait(20)
  }
}

test('A process that is killed at any moment leaves each call done once: the repetition at another process gets its answer', async () => {
  const database = await testDatabase()
  onTestFinished(database.drop)
  const baseUrl = 'http://localhost'
  const start = () => startSignet({ databaseUrl: database.url, env: { SIGNET_ROLES: 'api', SIGNET_BASE_URL: baseUrl } })
  const other = await start()
  onTestFinished(async () => void (await other.stop()))
  const inside = new pg.Client(database)
  await inside.connect()
  onTestFinished(() => inside.end())
  const counted = async ({ id }: Organization) => {
    const tables = ['persons', 'events', 'audit_entries', 'idempotency_keys']
    const counts = tables.map((table) => `(select count(*)::int from ${table} where org_id = $1) as ${table}`)
    return (await inside.query(`select ${counts.join()}`, [id])).rows[0]
  }
  for (let round = 0; round < rounds; round++) {
    const organization = await other.organization()
    const dying = await start()
    const keys = Array.from({ length: callsAtOnce }, (_, n) => `key-${n}`)
    const first = keys.map((key) => keyed(dying, organization, key, '/persons', {}).catch(() => undefined))
    // Once some are committed, whose answers may or may not have been sent.
    await expect.poll(async () => (await counted(organization)).persons).toBeGreaterThan(0)
    await wait(random() * 30)
    await dying.kill()
    const answered = await Promise.all(first)
    const repeated = await Promise.all(
      keys.map((key) => untilAnswered(() => keyed(other, organization, key, '/persons', {}))),
    )
    for (const [n, answer] of repeated.entries()) {
      expect(answer).toMatchObject({ status: 201 })
      if (answered[n]?.status === 201) expect(answer.body).toEqual(answered[n].body)
    }
    // Those that were committed before the kill.
    expect(repeated.filter(isReplayed).length).toBeGreaterThan(0)
    expect(new Set(repeated.map(({ body }) => body.result.person_id)).size).toBe(callsAtOnce)
    expect(await counted(organization)).toEqual({
      persons: callsAtOnce,
      events: callsAtOnce,
      // One is of the organization itself.
      audit_entries: callsAtOnce + 1,
      idempotency_keys: callsAtOnce,
    })
  }
}, 120_000)
