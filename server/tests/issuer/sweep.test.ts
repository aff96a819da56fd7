import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { sweepExpired } from '../../src/identity/issuer/sweep-store.ts'
import {
  closeIssuer,
  dayMs,
  hourMs,
  issuers,
  offline,
  openIssuer,
  organization,
  refresh,
  secondMs,
  signIn,
  tokensOf,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

test('Rows that have expired are removed, and no others', async () => {
  const kept = await tokensOf(offline)
  const count = async () => {
    const rows = await issuers.database.write.rows(sql<{ count: number }>`
      select count(*) from issuer_tokens where expires_at <= ${toTimestamp(issuers.clock.now())}`)
    return rows[0]?.count
  }
  issuers.clock.advance(2 * hourMs)
  expect(await count()).toBeGreaterThan(0)
  await sweepExpired(issuers.database.write, issuers.clock, new AbortController().signal)
  expect(await count()).toBe(0)
  expect(await refresh(kept)).toHaveProperty('id_token')
})

test('Expired rows of every kind are removed in each run, however many tokens wait', async () => {
  const of = await issuers.app(await issuers.organization())
  const { id } = of.organization
  const browser = issuers.browser()
  await signIn({ of, as: await issuers.person(of.organization), browser })
  const { url } = await issuers.request(of, { prompt: 'login' })
  await browser.go(url.href, { stopAt: /\/sso\/flows\// })
  await tokensOf()
  const { write } = issuers.database
  const soon = toTimestamp(issuers.clock.now() + 60 * secondMs)
  await write.rows(sql`
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
    select org_id, sha256(number::text::bytea), 'AccessToken', id, '{}', ${soon}
      from (select * from issuer_grants where org_id = ${organization.id} limit 1) g, generate_series(1, 3000) number`)
  // As if each step took longer than a run may.
  let now = issuers.clock.now() + 30 * dayMs
  await sweepExpired(write, { now: () => (now += hourMs) }, new AbortController().signal)
  const left = await write.rows(sql<{ count: number }>`
    select (select count(*) from issuer_grants where org_id = ${id})
         + (select count(*) from issuer_sessions where org_id = ${id})
         + (select count(*) from issuer_interactions where org_id = ${id}) as count`)
  expect(left[0]?.count).toBe(0)
})
