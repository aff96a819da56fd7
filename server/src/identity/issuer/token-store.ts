import type { AdapterPayload } from 'oidc-provider'
import { keepHookClaims } from '../../delivery/hooks/index.ts'
import type { Queries } from '../../ground/database/database.ts'
import { hasRow } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { parseExactly } from '../../ground/runtime/exact-json.ts'
import { grantHasEnded } from './ended-credential-store.ts'

export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'
export type NewToken = { idHash: Buffer; kind: TokenKind; payload: AdapterPayload; expiresAt: string }

/** Uses of one refresh token within the grace period. */
const maxUses = 4

/**
 * Whether a used refresh token (`t`, of the application `a`) may be used again: by another tab, or after a lost reply. Both uses
 * are timed by the clock of the database, which is the same for all processes.
 */
const mayBeUsedAgain = (now: string) => fragment`(
  t.kind = 'RefreshToken' and t.uses < ${maxUses}::int and a.refresh_token_grace_ms > 0
  and t.consumed_at > clock_timestamp() - a.refresh_token_grace_ms * interval '1 ms'
  and exists (select from issuer_sessions s
               where s.org_id = t.org_id and s.uid = t.payload ->> 'sessionUid' and s.expires_at > ${now}))`

/** What the provider of an identity told last. `emailVerified`: the provider's word counts, or an admin key vouches for this handle of the person. */
type ToldIdentity = {
  email: string | null
  emailVerified: boolean
  profile: Record<string, string>
  /** In seconds since the epoch. */
  updatedAt: number
}

/** A code or token with its grant and the current state of the person. */
export type FoundToken = {
  payload: AdapterPayload
  isConsumed: boolean
  grantId: string
  grantPayload: AdapterPayload
  claims: Record<string, unknown>
  authenticatedMethods: string[]
  personId: string
  active: boolean
  region: string
  groups: string[]
  handles: { type: string; value: string; verified: boolean }[]
  /** Of the sign-in. Null: it was taken away, or an earlier release signed the person in. */
  identity: ToldIdentity | null
}

/** Of the identity `i`. */
const toldIdentity = fragment`case when i.id is not null then json_build_object(
  'email', i.email, 'profile', i.profile, 'updatedAt', floor(extract(epoch from i.updated_at)),
  'emailVerified', i.email_verified or exists (
    select from handles h join vouchers v using (org_id, type, key)
     where h.org_id = i.org_id and h.type = 'EmailAddress' and h.key = i.email_key and h.person_id = i.person_id and v.kind = 'key')
) end`

export async function findToken(
  queries: Queries,
  organizationId: string,
  kind: TokenKind,
  idHash: Buffer,
  now: string,
): Promise<FoundToken | undefined> {
  const [row] = await queries.rows(sql<Omit<FoundToken, 'claims'> & { claims: string }>`
    select t.payload, t.consumed_at is not null and not ${mayBeUsedAgain(now)} as "isConsumed",
           t.grant_id as "grantId", g.payload as "grantPayload",
           g.claims::text, g.authenticated_methods as "authenticatedMethods", p.person_id as "personId", p.active, p.region,
           p.groups, p.handles, ${toldIdentity} as identity
      from issuer_tokens t
      join applications a on a.org_id = t.org_id and a.client_id = (t.payload ->> 'clientId')::uuid
      join issuer_grants g on g.org_id = t.org_id and g.id = t.grant_id
      join person_records p on p.org_id = g.org_id and p.person_id = g.person_id
      left join identities i on i.org_id = g.org_id and i.id = g.identity_id and i.person_id = g.person_id
     where t.org_id = ${organizationId} and t.id_hash = ${idHash} and t.kind = ${kind} and t.expires_at > ${now}
       and not ${grantHasEnded}`)
  // An earlier release may have stored claims that are protected by now.
  return row && { ...row, claims: keepHookClaims(parseExactly(row.claims) as object).claims }
}

/**
 * Marks a code or refresh token as used and inserts the tokens issued for it, in one statement. Gives whether it was allowed:
 * this was the first use, or one within the grace period. The grant is locked first, as by its removal.
 */
export const consumeToken = (
  queries: Queries,
  organizationId: string,
  { grantId, idHash, now }: { grantId: string; idHash: Buffer; now: string },
  tokens: NewToken[],
) =>
  hasRow(queries)(sql`
    with held as materialized (
      select id from issuer_grants where org_id = ${organizationId} and id = ${grantId} for key share
    ), consumed as (
      update issuer_tokens t
         set consumed_at = coalesce(t.consumed_at, clock_timestamp()), uses = t.uses + 1
        from held, applications a
       where t.org_id = ${organizationId} and t.id_hash = ${idHash} and t.grant_id = held.id
         and a.org_id = t.org_id and a.client_id = (t.payload ->> 'clientId')::uuid
         and (t.consumed_at is null or ${mayBeUsedAgain(now)})
      returning t.grant_id
    )
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
    select ${organizationId}, t.id_hash, t.kind, c.grant_id, t.payload::json, t.expires_at
      from consumed c, unnest(${tokens.map(({ idHash }) => idHash)}::bytea[], ${tokens.map(({ kind }) => kind)}::text[],
                              ${tokens.map(({ payload }) => JSON.stringify(payload))}::text[],
                              ${tokens.map(({ expiresAt }) => expiresAt)}::timestamptz[])
                       as t (id_hash, kind, payload, expires_at)
    returning id_hash`)
