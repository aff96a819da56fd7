import type { Queries } from '../database/database.ts'
import { valuesIn } from '../database/rows.ts'
import { fragment, sql } from '../database/sql.ts'

/** What is signed with the keys of a table, its column that the other lacks, and the algorithm of a row. */
const tables = {
  webhooks: { name: fragment`signing_keys`, own: fragment`public_jwk`, alg: fragment`'ES256'` },
  idTokens: { name: fragment`issuer_keys`, own: fragment`alg`, alg: fragment`alg` },
}
export type Signed = keyof typeof tables

export type Algorithm = 'RS256' | 'ES256'

/** `own`: of webhooks the public JWK as JSON text, of ID tokens the algorithm. `privateKey` is encrypted. */
export type NewKey = { kid: string; alg: Algorithm; own: string; privateKey: Buffer }

const columnsOf = (keys: NewKey[]) => fragment`
  unnest(${keys.map(({ kid }) => kid)}::text[], ${keys.map(({ alg }) => alg)}::text[],
         ${keys.map(({ own }) => own)}::text[], ${keys.map(({ privateKey }) => privateKey)}::bytea[])`

/**
 * The first keys of an organization, published at once: for each algorithm one that signs, and the next. Of two processes only one
 * inserts, and none for an organization that was deleted.
 */
export async function insertFirstKeys(
  queries: Queries,
  organizationId: string,
  { signed, current, next, now }: { signed: Signed; current: NewKey[]; next: NewKey[]; now: string },
) {
  const { name, own } = tables[signed]
  await queries.rows(sql`
    insert into ${name} (org_id, kid, ${own}, private_key, published_at, signs_from)
    select o.id, k.kid, k.own, k.private_key, ${now}, k.signs_from
      from organizations o, (
        select *, ${now}::timestamptz as signs_from from ${columnsOf(current)} as current (kid, alg, own, private_key)
        union all
        select *, null from ${columnsOf(next)} as next (kid, alg, own, private_key)) k
     where o.id = ${organizationId} and o.deleted_at is null
     order by k.alg, k.signs_from
    on conflict do nothing`)
}

/** The ids of the keys that signed before and of those that sign now, one for each algorithm. */
export type Rotated = { former: string[]; current: string[] }

export type Rotation = {
  signed: Signed
  /** One for each algorithm that is rotated, published from now on. */
  next: NewKey[]
  /** A next key is promoted only if it was published at this time or before. */
  publishedUntil: string
  /** When keys that have signed leave the published set, unless they leave it earlier. */
  leaveAt: string
  now: string
}

/**
 * Promotes the next keys, retires those that signed and adds new next keys: all of it or nothing. Of two concurrent
 * rotations the second waits for the lock of the first and then finds no key that it may promote. The key that signs
 * follows from state, not from time, so that nodes with different clocks agree on it. Undefined: nothing changed.
 */
export async function rotateKeys(
  queries: Queries,
  organizationId: string,
  { signed, next, publishedUntil, leaveAt, now }: Rotation,
): Promise<Rotated | undefined> {
  const { name, own, alg } = tables[signed]
  const algorithms = fragment`${next.map((key) => key.alg)}::text[]`
  const ofAll = fragment`(select count(*) from promotable) = ${next.length}::int`
  const [row] = await queries.rows(sql<Rotated>`
    with promotable as materialized (
      select kid from ${name}
       where org_id = ${organizationId} and ${alg} = any (${algorithms}) and signs_from is null
         and published_at <= ${publishedUntil}
       order by kid for update
    ), former as materialized (
      select kid, ${alg} as alg from ${name}
       where org_id = ${organizationId} and ${alg} = any (${algorithms}) and signs_from is not null and withdrawn_at is null
    ), retired as (
      update ${name} set withdrawn_at = ${leaveAt}
       where org_id = ${organizationId} and ${alg} = any (${algorithms}) and signs_from is not null
         and (withdrawn_at is null or withdrawn_at > ${leaveAt}) and ${ofAll}
      returning kid
    ), promoted as (
      update ${name} set signs_from = ${now}
       where org_id = ${organizationId} and kid in (select kid from promotable) and ${ofAll}
         and (select count(*) from retired) >= 0
      returning org_id, kid, ${alg} as alg
    ), added as (
      insert into ${name} (org_id, kid, ${own}, private_key, published_at)
      select org_id, next.kid, next.own, next.private_key, ${now}::timestamptz
        from promoted join ${columnsOf(next)} as next (kid, alg, own, private_key) using (alg)
    )
    select (select array_agg(kid order by array_position(${algorithms}, alg)) from former) as former,
           array_agg(kid order by array_position(${algorithms}, alg)) as current
      from promoted having count(*) > 0`)
  return row
}

/** The time of the youngest of an organization's next keys. */
export async function nextKeyPublishedAt(queries: Queries, organizationId: string, signed: Signed) {
  const [row] = await queries.rows(sql<{ published_at: Date | null }>`
    select max(published_at) as published_at from ${tables[signed].name}
     where org_id = ${organizationId} and signs_from is null`)
  return row?.published_at ?? undefined
}

type Signing = { org_id: string; alg: Algorithm }

/** Keys that have signed since `signsFrom` or longer, the longest first. */
export const keysSigningSince = (queries: Queries, signed: Signed, signsFrom: string, limit: number) =>
  queries.rows(sql<Signing>`
    select org_id, ${tables[signed].alg} as alg from ${tables[signed].name}
     where signs_from <= ${signsFrom} and withdrawn_at is null
       and exists (select from organizations where id = org_id and deleted_at is null)
     order by signs_from limit ${limit}`)

/** Deletes keys that left the published set at this time or before. */
export async function removeWithdrawnKeys(queries: Queries, signed: Signed, until: string, limit: number) {
  const { name } = tables[signed]
  await queries.rows(sql`
    delete from ${name} where (org_id, kid) in
      (select org_id, kid from ${name} where withdrawn_at <= ${until} order by withdrawn_at limit ${limit})`)
}

type CurrentKey = { org_id: string; kid: string; private_key: Buffer }

/** The encrypted keys that sign webhooks of these organizations now. One index probe each. */
export const loadCurrentKeys = (queries: Queries, organizationIds: string[]): Promise<CurrentKey[]> =>
  queries.rows(sql<CurrentKey>`
    select org_id, kid, private_key from signing_keys
     where org_id = any (${organizationIds}::uuid[]) and signs_from is not null and withdrawn_at is null`)

/** The published public keys as JSON text: the one that signs now, earlier ones, then the next. */
export const loadPublishedKeys = (queries: Queries, organizationId: string, now: string) =>
  valuesIn(queries)(sql<{ public_jwk: string }>`
    select public_jwk from signing_keys
     where org_id = ${organizationId} and (withdrawn_at is null or withdrawn_at > ${now})
     order by signs_from is null, withdrawn_at desc nulls first, kid`)

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
