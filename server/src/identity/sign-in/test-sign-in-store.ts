import type { Queries, Transaction } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import type { Choice } from './flow-store.ts'
import type { Claims, TestStep } from './test-steps.ts'

type NewTest = {
  id: string
  keyId: string
  credentialId: string
  linkHash: Buffer
  steps: TestStep[]
  expiresAt: string
}

export async function insertTest(
  queries: Queries,
  organizationId: string,
  { id, keyId, credentialId, linkHash, steps, expiresAt }: NewTest,
) {
  await queries.rows(sql`
    insert into test_sign_ins (org_id, id, key_id, credential_id, link_hash, steps, expires_at)
    values (${organizationId}, ${id}, ${keyId}, ${credentialId}, ${linkHash}, ${JSON.stringify(steps)}, ${expiresAt})`)
}

/** `expiresAt`: RFC 3339. */
export type Test = { organizationId: string; id: string; credentialId: string; expiresAt: string }

/** Of several browsers that open a link only one gets its test, and once. Undefined also if the organization was deleted. */
export async function markTestOpened(
  queries: Queries,
  organizationId: string,
  linkHash: Buffer,
  now: string,
): Promise<Test | undefined> {
  const [test] = await queries.rows(sql<Test>`
    update test_sign_ins t set opened_at = ${now}
     where org_id = ${organizationId} and link_hash = ${linkHash} and opened_at is null and expires_at > ${now}
       and exists (select from organizations o where o.id = t.org_id and o.deleted_at is null)
    returning org_id as "organizationId", id, credential_id as "credentialId", expires_at::text as "expiresAt"`)
  return test
}

/** The flow of a test has its id, and no interaction. What events say of a browser is left empty: a test has none. */
export async function insertTestFlow(
  tx: Transaction,
  { organizationId, id, expiresAt }: Test,
  { credentialId, stateHash, secretHash, expected }: Choice,
) {
  await tx.rows(sql`
    insert into flows (org_id, id, correlation_id, client_address, user_agent, window_location,
                       credential_id, state_hash, secret_hash, expected, expires_at)
    values (${organizationId}, ${id}, ${id}, '', '', '', ${credentialId}, ${stateHash}, ${secretHash}, ${expected}, ${expiresAt})`)
}

export async function saveSteps(queries: Queries, organizationId: string, testId: string, steps: TestStep[]) {
  await queries.rows(sql`
    update test_sign_ins set steps = ${JSON.stringify(steps)}
     where org_id = ${organizationId} and id = ${testId} and ended_at is null`)
}

type End = { steps: TestStep[]; claims?: Claims | undefined; now: string; expiresAt: string }

/**
 * Takes effect once. Its flow ends with it: for one that began and did not, a process of a version without tests would publish that a
 * sign-in failed.
 */
export async function endTest(
  queries: Queries,
  organizationId: string,
  testId: string,
  { steps, claims, now, expiresAt }: End,
) {
  await queries.rows(sql`
    with ended as (
      update test_sign_ins
         set ended_at = ${now}, expires_at = ${expiresAt}, steps = ${JSON.stringify(steps)},
             claims = ${claims === undefined ? null : JSON.stringify(claims)}
       where org_id = ${organizationId} and id = ${testId} and ended_at is null
      returning org_id, id
    )
    update flows f set ended_at = ${now} from ended e where f.org_id = e.org_id and f.id = e.id`)
}

export type StoredTest = { id: string; hasEnded: boolean; steps: TestStep[]; expires_at: Date }

export async function findTest(
  queries: Queries,
  organizationId: string,
  testId: string,
  { credentialId, now }: { credentialId: string; now: string },
): Promise<StoredTest | undefined> {
  const [test] = await queries.rows(sql<StoredTest>`
    select id, ended_at is not null as "hasEnded", steps, expires_at from test_sign_ins
     where org_id = ${organizationId} and id = ${testId} and credential_id = ${credentialId} and expires_at > ${now}`)
  return test
}

/** Gives the claims to the key that made the test, once. */
export async function takeClaims(
  queries: Queries,
  organizationId: string,
  testId: string,
  keyId: string,
): Promise<Claims | undefined> {
  const [row] = await queries.rows(sql<{ claims: Claims }>`
    with shown as (
      select org_id, id, claims from test_sign_ins
       where org_id = ${organizationId} and id = ${testId} and key_id = ${keyId} and claims is not null for update
    )
    update test_sign_ins t set claims = null from shown
     where t.org_id = shown.org_id and t.id = shown.id
    returning shown.claims`)
  return row?.claims
}

/** Removes expired tests with their flows. Gives how many. */
export async function removeExpiredTests(queries: Queries, now: string, limit: number): Promise<number> {
  const rows = await queries.rows(sql`
    with expired as (
      select org_id, id from test_sign_ins where expires_at <= ${now} order by expires_at limit ${limit} for update skip locked
    ), without_flows as (
      delete from flows f using expired e where f.org_id = e.org_id and f.id = e.id
    )
    delete from test_sign_ins t using expired e where t.org_id = e.org_id and t.id = e.id
    returning t.id`)
  return rows.length
}
