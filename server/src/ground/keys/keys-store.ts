import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

/** `publicJwk` is JSON text, `privateKey` is encrypted. */
export type StoredKey = { kid: string; publicJwk: string; privateKey: Buffer }

/** The two keys of a new organization, published at once. */
export async function insertFirstKeys(
  queries: Queries,
  organizationId: string,
  { current, next }: { current: StoredKey; next: StoredKey },
  now: string,
) {
  await queries.rows(sql`
    insert into signing_keys (org_id, kid, public_jwk, private_key, published_at, signs_from)
    values (${organizationId}, ${current.kid}, ${current.publicJwk}, ${current.privateKey}, ${now}, ${now}),
           (${organizationId}, ${next.kid}, ${next.publicJwk}, ${next.privateKey}, ${now}, null)`)
}

type CurrentKey = { org_id: string; kid: string; private_key: Buffer }

/** The encrypted keys that sign for these organizations now. One index probe each. */
export const loadCurrentKeys = (queries: Queries, organizationIds: string[]): Promise<CurrentKey[]> =>
  queries.rows(sql<CurrentKey>`
    select org_id, kid, private_key from signing_keys
     where org_id = any (${organizationIds}::uuid[]) and signs_from is not null and withdrawn_at is null`)

/** The published public keys as JSON text: the one that signs now, earlier ones, then the next. */
export async function loadPublishedKeys(queries: Queries, organizationId: string, now: string): Promise<string[]> {
  const rows = await queries.rows(sql<{ public_jwk: string }>`
    select public_jwk from signing_keys
     where org_id = ${organizationId} and (withdrawn_at is null or withdrawn_at > ${now})
     order by signs_from is null, withdrawn_at desc nulls first, kid`)
  return rows.map((row) => row.public_jwk)
}

export type KeyTimes = {
  kid: string
  published_at: Date
  signs_from: Date | null
  signs_until: Date | null
  withdrawn_at: Date | null
}

/**
 * Every key that is stored, without the private part: the one that signs now, the next one, then earlier ones, the newest first. One
 * that was withdrawn in an emergency left the set when it ceased to sign.
 */
export const loadKeyTimes = (queries: Queries, organizationId: string): Promise<KeyTimes[]> =>
  queries.rows(sql<KeyTimes>`
    select kid, published_at, signs_from, signs_until, greatest(withdrawn_at, signs_until) as withdrawn_at
      from (select kid, published_at, signs_from, withdrawn_at,
                   case when withdrawn_at is not null then lead(signs_from) over (order by signs_from) end as signs_until
              from signing_keys where org_id = ${organizationId}) k
     order by withdrawn_at is not null, signs_from is null, signs_from desc`)

/** The ids of the key that signed before and of the one that signs now. */
export type Rotated = { former: string; current: string }

type Rotation = {
  /** Published from now on. */
  next: StoredKey
  /** The next key is promoted only if it was published at this time or before. */
  publishedUntil: string
  /** When retired keys leave the published set, unless they leave it earlier anyway. */
  leaveAt: string
  now: string
}

/**
 * Promotes the next key, retires the current one and adds a new next key: all of it or nothing. Of
 * two concurrent rotations the second waits for the lock of the first and then finds no key that it may promote. The
 * current key follows from state, not from time, so that nodes with different clocks agree on it. Returns the ids of the key that
 * signed before and of the one that signs now, or undefined where nothing changed.
 */
export async function rotateKeys(
  queries: Queries,
  organizationId: string,
  { next, publishedUntil, leaveAt, now }: Rotation,
): Promise<Rotated | undefined> {
  const [row] = await queries.rows(sql<Rotated>`
    with promotable as materialized (
      select kid from signing_keys
       where org_id = ${organizationId} and signs_from is null and published_at <= ${publishedUntil} for update
    ), retired as (
      update signing_keys set withdrawn_at = ${leaveAt}
       where org_id = ${organizationId} and signs_from is not null
         and (withdrawn_at is null or withdrawn_at > ${leaveAt}) and exists (select from promotable)
      returning kid
    ), promoted as (
      update signing_keys set signs_from = ${now}
       where org_id = ${organizationId} and kid in (select kid from promotable) and (select count(*) from retired) >= 0
      returning org_id
    )
    insert into signing_keys (org_id, kid, public_jwk, private_key, published_at)
    select org_id, ${next.kid}, ${next.publicJwk}, ${next.privateKey}, ${now}::timestamptz from promoted
    returning (select kid from signing_keys
                where org_id = ${organizationId} and signs_from is not null and withdrawn_at is null) as former,
              (select kid from promotable) as current`)
  return row
}

export async function nextKeyPublishedAt(queries: Queries, organizationId: string): Promise<Date | undefined> {
  const [row] = await queries.rows(sql<{ published_at: Date }>`
    select published_at from signing_keys where org_id = ${organizationId} and signs_from is null`)
  return row?.published_at
}

/** Organizations whose current key has signed since `signsFrom` or longer, longest first. */
export async function organizationsSigningSince(queries: Queries, signsFrom: string, limit: number): Promise<string[]> {
  const rows = await queries.rows(sql<{ org_id: string }>`
    select org_id from signing_keys
     where signs_from <= ${signsFrom} and withdrawn_at is null
       and exists (select from organizations where id = org_id and deleted_at is null)
     order by signs_from limit ${limit}`)
  return rows.map((row) => row.org_id)
}

/** Deletes keys that have left the published set. */
export async function removeWithdrawnKeys(queries: Queries, now: string, limit: number) {
  await queries.rows(sql`
    delete from signing_keys where (org_id, kid) in
      (select org_id, kid from signing_keys where withdrawn_at <= ${now} order by withdrawn_at limit ${limit})`)
}
