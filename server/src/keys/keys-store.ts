import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'

type StoredKey = {
  kid: string
  /** JSON text. */
  publicJwk: string
  /** Sealed. */
  privateKey: Buffer
  /** Null: the next key, which only a rotation lets sign. */
  signsFrom: string | null
}

export async function insertKeys(queries: Queries, organizationId: string, keys: StoredKey[], publishedAt: string) {
  await queries.rows(sql`
    insert into signing_keys (org_id, kid, public_jwk, private_key, published_at, signs_from)
    select ${organizationId}::uuid, kid, public_jwk, private_key, ${publishedAt}::timestamptz, signs_from
      from unnest(${keys.map((key) => key.kid)}::text[], ${keys.map((key) => key.publicJwk)}::text[],
                  ${keys.map((key) => key.privateKey)}::bytea[], ${keys.map((key) => key.signsFrom)}::timestamptz[])
           as k (kid, public_jwk, private_key, signs_from)`)
}

/** The sealed private key that signs now: of those that may sign and are not withdrawn, the newest. */
export async function loadCurrentKey(
  queries: Queries,
  organizationId: string,
  now: string,
): Promise<Buffer | undefined> {
  const [row] = await queries.rows(sql<{ private_key: Buffer }>`
    select private_key from signing_keys
     where org_id = ${organizationId} and signs_from <= ${now} and (withdrawn_at is null or withdrawn_at > ${now})
     order by signs_from desc limit 1`)
  return row?.private_key
}

/** The public keys that receivers shall know, as JSON text: the one that signs now, earlier ones, then the next. */
export async function loadPublishedKeys(queries: Queries, organizationId: string, now: string): Promise<string[]> {
  const rows = await queries.rows(sql<{ public_jwk: string }>`
    select public_jwk from signing_keys
     where org_id = ${organizationId} and (withdrawn_at is null or withdrawn_at > ${now})
     order by signs_from <= ${now} desc nulls last, signs_from desc, kid`)
  return rows.map((row) => row.public_jwk)
}
