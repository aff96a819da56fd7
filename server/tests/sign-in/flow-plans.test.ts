import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'

const busy = '00000000-0000-7000-8000-000000000001'
const flows = 2_000

let inside: pg.Client
let drop: () => Promise<void>

/** The statistics know organizations with one flow each; then one organization begins many. */
beforeAll(async () => {
  const database = await testDatabase()
  drop = database.drop
  inside = new pg.Client(database)
  await inside.connect()
  const insert = `insert into flows (org_id, id, interaction_uid, correlation_id, client_address, user_agent, window_location,
                                     state_hash, expires_at)`
  await inside.query(`
    insert into organizations (id, name, pricing_tier, created_at)
      select gen_random_uuid(), 'x', 'unlimited', now() from generate_series(1, ${flows});
    ${insert} select id, id, id::text, id, '', '', '', sha256(id::text::bytea), now() from organizations;
    analyze flows;
    insert into organizations (id, name, pricing_tier, created_at) values ('${busy}', 'x', 'unlimited', now());
    ${insert} select '${busy}', gen_random_uuid(), n::text, '${busy}', '', '', '', sha256(n::text::bytea), now()
      from generate_series(1, ${flows}) n`)
})
afterAll(async () => {
  await inside?.end()
  await drop?.()
})

describe('A flow of an organization with many flows', () => {
  test.each([
    ['state', `state_hash = sha256('7')`],
    ['interaction', `interaction_uid = '7'`],
    ['id', `id = '${busy}'`],
  ])('It is found by its %s without reading the others', async (_, condition) => {
    const { rows } = await inside.query<Record<'QUERY PLAN', string>>(
      `explain (analyze, timing off) select * from flows where org_id = '${busy}' and ${condition}`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('Index')
    expect(plan).not.toContain('Rows Removed by Filter')
  })
})
