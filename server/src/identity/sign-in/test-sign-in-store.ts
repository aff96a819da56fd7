import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, rowCount, valueIn } from '../../ground/database/rows.ts'
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

export const insertTest = (
  queries: Queries,
  organizationId: string,
  { id, keyId, credentialId, linkHash, steps, expiresAt }: NewTest,
) =>
  queries.rows(sql`
    insert into test_sign_ins (org_id, id, key_id, credential_id, link_hash, steps, expires_at)
    values (${organizationId}, ${id}, ${keyId}, ${credentialId}, ${linkHash}, ${JSON.stringify(steps)}, ${expiresAt})`)

/** `expiresAt`: RFC 3339. */
export type Test = { organizationId: string; id: string; credentialId: string; expiresAt: string }

/** Of several browsers that open a link only one gets its test, and once. Undefined also if the organization was deleted. */
export const markTestOpened = (queries: Queries, organizationId: string, linkHash: Buffer, now: string) =>
  firstRow(queries)(sql<Test>`
    update test_sign_ins t set opened_at = ${now}
     where org_id = ${organizationId} and link_hash = ${linkHash} and opened_at is null and expires_at > ${now}
       and exists (select from organizations o where o.id = t.org_id and o.deleted_at is null)
    returning org_id as "organizationId", id, credential_id as "credentialId", expires_at::text as "expiresAt"`)

/** The flow of a test has its id, and no interaction. What events say of a browser is left empty: a test has none. */
export const insertTestFlow = (
  tx: Transaction,
  { organizationId, id, expiresAt }: Test,
  { credentialId, stateHash, secretHash, expected }: Choice,
) =>
  tx.rows(sql`
    insert into flows (org_id, id, correlation_id, client_address, user_agent, window_location,
                       credential_id, state_hash, secret_hash, expected, expires_at)
    values (${organizationId}, ${id}, ${id}, '', '', '', ${credentialId}, ${stateHash}, ${secretHash}, ${expected}, ${expiresAt})`)

export const saveSteps = (queries: Queries, organizationId: string, testId: string, steps: TestStep[]) =>
  queries.rows(sql`
    update test_sign_ins set steps = ${JSON.stringify(steps)}
     where org_id = ${organizationId} and id = ${testId} and ended_at is null`)

type End = { steps: TestStep[]; claims?: Claims | undefined; now: string; expiresAt: string }

/**
 * Takes effect once. Its flow ends with it: for one that began and did not, a process of a version without tests would publish that a
 * sign-in failed.
 */
export const endTest = (
  queries: Queries,
  organizationId: string,
  testId: string,
  { steps, claims, now, expiresAt }: End,
) =>
  queries.rows(sql`
    with ended as (
      update test_sign_ins
         set ended_at = ${now}, expires_at = ${expiresAt}, steps = ${JSON.stringify(steps)},
             claims = ${claims === undefined ? null : JSON.stringify(claims)}
       where org_id = ${organizationId} and id = ${testId} and ended_at is null
      returning org_id, id
    )
    update flows f set ended_at = ${now} from ended e where f.org_id = e.org_id and f.id = e.id`)

export type StoredTest = { id: string; hasEnded: boolean; steps: TestStep[]; expires_at: Date }

export const findTest = (
  queries: Queries,
  organizationId: string,
  testId: string,
  { credentialId, now }: { credentialId: string; now: string },
) =>
  firstRow(queries)(sql<StoredTest>`
    select id, ended_at is not null as "hasEnded", steps, expires_at from test_sign_ins
     where org_id = ${organizationId} and id = ${testId} and credential_id = ${credentialId} and expires_at > ${now}`)

/** Gives the claims to the key that made the test, once. */
export const takeClaims = (queries: Queries, organizationId: string, testId: string, keyId: string) =>
  valueIn(queries)(sql<{ claims: Claims }>`
    with shown as (
      select org_id, id, claims from test_sign_ins
       where org_id = ${organizationId} and id = ${testId} and key_id = ${keyId} and claims is not null for update
    )
    update test_sign_ins t set claims = null from shown
     where t.org_id = shown.org_id and t.id = shown.id
    returning shown.claims`)

/** Removes expired tests with their flows. Gives how many. */
export const removeExpiredTests = (queries: Queries, now: string, limit: number) =>
  rowCount(queries)(sql`
    with expired as (
      select org_id, id from test_sign_ins where expires_at <= ${now} order by expires_at limit ${limit} for update skip locked
    ), without_flows as (
      delete from flows f using expired e where f.org_id = e.org_id and f.id = e.id
    )
    delete from test_sign_ins t using expired e where t.org_id = e.org_id and t.id = e.id
    returning t.id`)
