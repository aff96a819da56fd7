import type { Queries } from '../../../ground/database/database.ts'
import { sql } from '../../../ground/database/sql.ts'
import type { Algorithm } from '../../../ground/keys/index.ts'

/** `privateKey` is encrypted. A key that is no longer published verifies hints only. */
export type StoredIssuerKey = { kid: string; alg: Algorithm; privateKey: Buffer; isPublished: boolean }

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
