import type { Queries } from '../../../ground/database/database.ts'
import { sql } from '../../../ground/database/sql.ts'
import type { Algorithm } from '../../../ground/keys/index.ts'

/** `kid` and `private_key` are null where the issuer has no key yet. */
export type LogoutTargetRow = {
  org_id: string
  client_id: string
  uri: string
  alg: Algorithm
  kid: string | null
  private_key: Buffer | null
}

/**
 * Where applications want logout tokens, with the key that signs their ID tokens now: also of an organization that is moving. By two index
 * probes each.
 */
export const loadLogoutTargetRows = (queries: Queries, organizationIds: string[], clientIds: string[]) =>
  queries.rows(sql<LogoutTargetRow>`
    select a.org_id, a.client_id, a.uri, a.alg, k.kid, k.private_key
      from unnest(${organizationIds}::uuid[], ${clientIds}::uuid[]) as wanted (org_id, client_id)
      cross join lateral (
        select org_id, client_id, backchannel_logout_uri as uri, id_token_signed_response_alg as alg from applications
         where org_id = wanted.org_id and client_id = wanted.client_id and backchannel_logout_uri is not null limit 1) a
      left join issuer_keys k
        on k.org_id = a.org_id and k.alg = a.alg and k.signs_from is not null and k.withdrawn_at is null`)
