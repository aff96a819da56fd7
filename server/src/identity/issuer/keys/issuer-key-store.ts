import type { Queries } from '../../../ground/database/database.ts'
import { sql } from '../../../ground/database/sql.ts'

/** The signing algorithms of ID tokens; each issuer has keys for all of them. */
export const algorithms = ['RS256', 'ES256'] as const
export type Algorithm = (typeof algorithms)[number]

/** `privateKey` is encrypted. */
export type NewIssuerKey = { kid: string; alg: Algorithm; privateKey: Buffer }
/** A key that is no longer published verifies hints only. */
export type StoredIssuerKey = NewIssuerKey & { isPublished: boolean }

/** The first keys of an issuer: for each algorithm one that signs at once, and the next. Of two processes only one inserts. */
export async function insertFirstIssuerKeys(
  queries: Queries,
  organizationId: string,
  keys: { current: NewIssuerKey; next: NewIssuerKey }[],
  now: string,
) {
  const rows = keys.flatMap(({ current, next }) => [
    { ...current, signsFrom: now },
    { ...next, signsFrom: null },
  ])
  await queries.rows(sql`
    insert into issuer_keys (org_id, kid, alg, private_key, published_at, signs_from)
    select id, k.kid, k.alg, k.private_key, ${now}, k.signs_from
      from organizations, unnest(${rows.map(({ kid }) => kid)}::text[], ${rows.map(({ alg }) => alg)}::text[],
                                 ${rows.map(({ privateKey }) => privateKey)}::bytea[],
                                 ${rows.map(({ signsFrom }) => signsFrom)}::timestamptz[])
                          as k (kid, alg, private_key, signs_from)
     where id = ${organizationId} and deleted_at is null
     order by k.alg, k.signs_from
    on conflict do nothing`)
}

/**
 * For each algorithm the key that signs, then earlier ones, then the next; without those that left the key set before
 * `knownSince`. Undefined: there is no such organization, or it was deleted.
 */
export async function loadIssuerKeys(
  queries: Queries,
  organizationId: string,
  { now, knownSince }: { now: string; knownSince: string },
): Promise<StoredIssuerKey[] | undefined> {
  const rows = await queries.rows(sql<Omit<StoredIssuerKey, 'kid'> & { kid: string | null }>`
    select kid, alg, private_key as "privateKey", withdrawn_at is null or withdrawn_at > ${now} as "isPublished"
      from organizations o
      left join issuer_keys k on k.org_id = o.id and (withdrawn_at is null or withdrawn_at > ${knownSince})
     where o.id = ${organizationId} and o.deleted_at is null
     order by alg, signs_from is null, withdrawn_at desc nulls first, kid`)
  return rows.length === 0 ? undefined : rows.filter((row): row is StoredIssuerKey => row.kid !== null)
}

type Rotated = { former: string; current: string }

type Rotation = {
  /** Published at once. */
  next: NewIssuerKey
  /** The current next key is promoted if it was published at this time or before. */
  publishedUntil: string
  /** When keys that have signed leave the key set, unless they leave it earlier. */
  leaveAt: string
  now: string
}

/**
 * Promotes the next key of an algorithm, retires the one that signed, and adds a new next key: all or nothing. Gives the
 * ids of the key that signed before and of the one that signs now. Of two rotations at once the second waits for the lock of the first, and then finds no key that it may promote.
 */
export async function rotateIssuerKey(
  queries: Queries,
  organizationId: string,
  { next, publishedUntil, leaveAt, now }: Rotation,
): Promise<Rotated | undefined> {
  const [row] = await queries.rows(sql<Rotated>`
    with promotable as materialized (
      select kid from issuer_keys
       where org_id = ${organizationId} and alg = ${next.alg} and signs_from is null and published_at <= ${publishedUntil}
         for update
    ), retired as (
      update issuer_keys set withdrawn_at = ${leaveAt}
       where org_id = ${organizationId} and alg = ${next.alg} and signs_from is not null
         and (withdrawn_at is null or withdrawn_at > ${leaveAt}) and exists (select from promotable)
      returning kid
    ), promoted as (
      update issuer_keys set signs_from = ${now}
       where org_id = ${organizationId} and kid in (select kid from promotable) and (select count(*) from retired) >= 0
      returning org_id
    )
    insert into issuer_keys (org_id, kid, alg, private_key, published_at)
    select org_id, ${next.kid}, ${next.alg}, ${next.privateKey}, ${now}::timestamptz from promoted
    returning (select kid from issuer_keys
                where org_id = ${organizationId} and alg = ${next.alg} and signs_from is not null
                  and withdrawn_at is null) as former,
              (select kid from promotable) as current`)
  return row
}

/** The time of the youngest of an organization's next keys. */
export async function nextIssuerKeyPublishedAt(queries: Queries, organizationId: string): Promise<Date | undefined> {
  const [row] = await queries.rows(sql<{ published_at: Date | null }>`
    select max(published_at) as published_at from issuer_keys where org_id = ${organizationId} and signs_from is null`)
  return row?.published_at ?? undefined
}

/** Keys that have signed since `signsFrom` or longer, the longest first. */
export const issuerKeysSigningSince = (
  queries: Queries,
  signsFrom: string,
  limit: number,
): Promise<{ org_id: string; alg: Algorithm }[]> =>
  queries.rows(sql<{ org_id: string; alg: Algorithm }>`
    select org_id, alg from issuer_keys
     where signs_from <= ${signsFrom} and withdrawn_at is null
       and exists (select from organizations where id = org_id and deleted_at is null)
     order by signs_from limit ${limit}`)

/** Removes keys that left the key set before `knownSince`. */
export async function removeWithdrawnIssuerKeys(queries: Queries, knownSince: string, limit: number) {
  await queries.rows(sql`
    delete from issuer_keys where (org_id, kid) in
      (select org_id, kid from issuer_keys where withdrawn_at <= ${knownSince} order by withdrawn_at limit ${limit})`)
}
