import type { Queries } from '../database/database.ts'
import { firstRow, hasRow, rowCount, valueIn, valuesIn } from '../database/rows.ts'
import { sql } from '../database/sql.ts'

/** Any fixed number: the first part of the advisory locks of calls that are being handled. */
const lockClass = 1_936_287_348

/** `sealed` has a secret or handles, and goes with the thing `subjectId`. Either it or `answer` is null. */
export type KeptAnswer = { requestHash: Buffer; status: number; answer: string | null; sealed: Buffer | null }
type NewAnswer = KeptAnswer & { subjectId: string | undefined; createdAt: string }

/** The times from which answers are kept. */
export type Since = { since: string; sealedSince: string }

/**
 * Gives false where another call with the same hash is being handled: until the end of its transaction. Calls whose numbers are the
 * same by chance are taken for one another here, and nowhere else.
 */
export const lockCall = async (queries: Queries, number: number): Promise<boolean> =>
  (await valueIn(queries)(sql<{ is_locked: boolean }>`
    select pg_try_advisory_xact_lock(${lockClass}, ${number}) as is_locked`)) === true

export const findAnswer = (queries: Queries, organizationId: string, callHash: Buffer, { since, sealedSince }: Since) =>
  firstRow(queries)(sql<KeptAnswer>`
    select request_hash as "requestHash", status, answer, sealed_answer as sealed from idempotency_keys
     where org_id = ${organizationId} and call_hash = ${callHash}
       and created_at >= case when sealed_answer is null then ${since}::timestamptz else ${sealedSince}::timestamptz end`)

/** Replaces one that is kept no longer. Gives false where another call was faster. */
export const insertAnswer = (
  queries: Queries,
  organizationId: string,
  callHash: Buffer,
  { requestHash, status, answer, sealed, subjectId, createdAt }: NewAnswer,
  { since, sealedSince }: Since,
) =>
  hasRow(queries)(sql`
    insert into idempotency_keys as k (org_id, call_hash, request_hash, status, answer, sealed_answer, subject_id, created_at)
    values (${organizationId}, ${callHash}, ${requestHash}, ${status}, ${answer}, ${sealed}, ${subjectId}, ${createdAt})
    on conflict (org_id, call_hash) do update
       set request_hash = excluded.request_hash, status = excluded.status, answer = excluded.answer,
           sealed_answer = excluded.sealed_answer, subject_id = excluded.subject_id, created_at = excluded.created_at
     where k.created_at < case when k.sealed_answer is null then ${since}::timestamptz else ${sealedSince}::timestamptz end
    returning 1`)

/** Organizations with answers of before `time`: walks the organizations, one probe of the index of times each. */
export const organizationsWithAnswersBefore = (queries: Queries, time: string, limit: number) =>
  valuesIn(queries)(sql<{ org_id: string }>`
    with recursive oldest as (
      (select org_id, created_at from idempotency_keys order by org_id, created_at limit 1)
      union all
      select following.* from oldest o cross join lateral (
        select org_id, created_at from idempotency_keys where org_id > o.org_id order by org_id, created_at limit 1) following
    )
    select org_id from oldest where created_at < ${time} order by created_at limit ${limit}`)

/** Removes up to `limit` answers of before `time`, the oldest first, and returns how many. What another process removes is left to it. */
export const removeAnswers = (queries: Queries, organizationId: string, time: string, limit: number) =>
  rowCount(queries)(sql`
    with old as materialized (
      select call_hash from idempotency_keys where org_id = ${organizationId} and created_at < ${time}
       order by created_at limit ${limit} for update skip locked
    )
    delete from idempotency_keys where org_id = ${organizationId} and call_hash = any(array(select call_hash from old))
    returning 1`)

/** The same for encrypted answers, of all organizations. */
export const removeSealedAnswers = (queries: Queries, time: string, limit: number) =>
  rowCount(queries)(sql`
    with old as materialized (
      select org_id, call_hash from idempotency_keys where sealed_answer is not null and created_at < ${time}
       order by created_at limit ${limit} for update skip locked
    )
    delete from idempotency_keys k using old where k.org_id = old.org_id and k.call_hash = old.call_hash
    returning 1`)

/** Of an organization with more than `most` answers: when the newest of those was written that are too many. */
export const timeOfSurplus = (queries: Queries, organizationId: string, most: number) =>
  valueIn(queries)(sql<{ created_at: Date }>`
    select created_at from idempotency_keys where org_id = ${organizationId}
     order by created_at desc offset ${most} limit 1`)
