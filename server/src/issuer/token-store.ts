import type { AdapterPayload } from 'oidc-provider'
import type { Queries } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { parseExactly } from '../exact-json.ts'

export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'
export type NewToken = { idHash: Buffer; kind: TokenKind; payload: AdapterPayload; expiresAt: string }

/** Of one refresh token, within the grace of its first use. */
const maxUses = 4

/** A code or token with all that is needed to answer it: its grant, and the person as the person is now. */
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
}

export async function findToken(
  queries: Queries,
  organizationId: string,
  { kind, idHash, now, graceMs }: { kind: TokenKind; idHash: Buffer; now: string; graceMs: number },
): Promise<FoundToken | undefined> {
  const [row] = await queries.rows(sql<Omit<FoundToken, 'claims'> & { claims: string }>`
    select t.payload, t.consumed_at is not null and not (${graceMs}::int > 0 and t.uses < ${maxUses}::int
             and t.consumed_at > clock_timestamp() - ${graceMs}::int * interval '1 ms'
             and exists (select from issuer_sessions s where s.org_id = t.org_id and s.uid = t.payload ->> 'sessionUid')) as "isConsumed", t.grant_id as "grantId", g.payload as "grantPayload",
           g.claims::text, g.authenticated_methods as "authenticatedMethods", p.person_id as "personId", p.active, p.region,
           p.groups, p.handles
      from issuer_tokens t
      join issuer_grants g on g.org_id = t.org_id and g.id = t.grant_id
      join person_records p on p.org_id = g.org_id and p.person_id = g.person_id
     where t.org_id = ${organizationId} and t.id_hash = ${idHash} and t.kind = ${kind} and t.expires_at > ${now}`)
  return row && { ...row, claims: parseExactly(row.claims) as FoundToken['claims'] }
}

/**
 * Uses up a code or refresh token and keeps what was made of it, in one statement. Gives whether it might: it was the first to
 * do so, or came within the grace of the first, by the database's clock, and was one of few. The grant is held first, as
 * whoever removes it does.
 */
export async function consumeToken(
  queries: Queries,
  organizationId: string,
  { grantId, idHash, graceMs }: { grantId: string; idHash: Buffer; graceMs: number },
  tokens: NewToken[],
): Promise<boolean> {
  const rows = await queries.rows(sql`
    with held as materialized (
      select id from issuer_grants where org_id = ${organizationId} and id = ${grantId} for key share
    ), consumed as (
      update issuer_tokens set consumed_at = coalesce(consumed_at, clock_timestamp()), uses = uses + 1 from held
       where org_id = ${organizationId} and id_hash = ${idHash} and grant_id = held.id
         and (consumed_at is null or (${graceMs}::int > 0 and uses < ${maxUses}::int
              and consumed_at > clock_timestamp() - ${graceMs}::int * interval '1 ms'
              and exists (select from issuer_sessions s where s.org_id = issuer_tokens.org_id
                           and s.uid = issuer_tokens.payload ->> 'sessionUid')))
      returning grant_id
    )
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
    select ${organizationId}, t.id_hash, t.kind, c.grant_id, t.payload::json, t.expires_at
      from consumed c, unnest(${tokens.map(({ idHash }) => idHash)}::bytea[], ${tokens.map(({ kind }) => kind)}::text[],
                              ${tokens.map(({ payload }) => JSON.stringify(payload))}::text[],
                              ${tokens.map(({ expiresAt }) => expiresAt)}::timestamptz[])
                       as t (id_hash, kind, payload, expires_at)
    returning id_hash`)
  return rows.length > 0
}

/** With its code and tokens. */
export async function removeGrant(queries: Queries, organizationId: string, grantId: string) {
  await queries.rows(sql`delete from issuer_grants where org_id = ${organizationId} and id = ${grantId}`)
}
