import type { AdapterPayload } from 'oidc-provider'
import { keepHookClaims } from '../../delivery/hooks/index.ts'
import type { Queries } from '../../ground/database/database.ts'
import { hasRow } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { parseExactly } from '../../ground/runtime/exact-json.ts'
import { grantHasEnded } from './ended-credential-store.ts'

export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken' | 'JwtAccessToken'
export type NewToken = { idHash: Buffer; kind: TokenKind; payload: AdapterPayload; expiresAt: string }

/** Uses of one refresh token within the grace period, the first included. */
const maxUses = 20
/** Unused refresh tokens of one sign-in: beyond these the one that was issued first ends. */
const maxLines = 100
/** A refresh token that is not used within this time of the use of another line ends. */
const lineMs = 86_400_000

/**
 * Whether a used refresh token (`t`, of the application `a`) is used again within the grace period of its first use: by another tab, or
 * after a lost reply. Both uses are timed by the clock of the database, which is the same for all processes.
 */
const isInGrace = (usedAt: Fragment) => fragment`(
  t.kind = 'RefreshToken' and a.refresh_token_grace_ms > 0
  and t.consumed_at > ${usedAt} - a.refresh_token_grace_ms * interval '1 ms')`

/**
 * What the provider of an identity said last. `emailVerified`: the provider's word counts, or an admin key vouches for this handle of the
 * person, or a directory does whose own credential the sign-in went through.
 */
type IdentityClaims = {
  email: string | null
  emailVerified: boolean
  profile: Record<string, string>
  /** In seconds since the epoch. */
  updatedAt: number
}

/** A code or token with its grant and the current state of the person. */
export type FoundToken = {
  payload: AdapterPayload
  /** When it was read, by the clock of the database: it counts as used at this time, however long the reply takes. */
  foundAt: string
  /** It was used, and using it again ends its grant. */
  isConsumed: boolean
  /** It may not be used again, and nothing ends if it is: too many uses within the grace period. */
  isUsedUp: boolean
  grantId: string
  grantPayload: AdapterPayload
  claims: Record<string, unknown>
  authenticatedMethods: string[]
  personId: string
  active: boolean
  region: string
  groups: string[]
  handles: { type: string; value: string; verified: boolean }[]
  /** Addresses for which nobody vouches in this sign-in but a directory that has another credential. */
  doubtfulEmails: string[]
  /** What a directory says of the person. */
  directoryProfile: { profile: Record<string, string>; updatedAt: number } | null
  /** Of the sign-in. Null: it was taken away, or an earlier release signed the person in. */
  identity: IdentityClaims | null
}

/** Whether the voucher `v` counts in a sign-in of the grant `g`: a directory's does only at the credential of the directory. */
const counts = fragment`(
  v.kind <> 'directory'
  or exists (select from directories d where d.org_id = v.org_id and d.id = v.directory_id and d.credential_id = g.credential_id))`

/** Of the identity `i` in a sign-in of the grant `g`. */
const identityClaims = fragment`case when i.id is not null then json_build_object(
  'email', i.email, 'profile', i.profile, 'updatedAt', floor(extract(epoch from i.updated_at)),
  'emailVerified', i.email_verified or exists (
    select from handles h join vouchers v using (org_id, type, key)
     where h.org_id = i.org_id and h.type = 'EmailAddress' and h.key = i.email_key and h.person_id = i.person_id
       and v.kind <> 'identity' and ${counts})
) end`

/** Of the person `p` in a sign-in of the grant `g`. */
const doubtfulEmails = fragment`array(
  select h.value from handles h
   where h.org_id = p.org_id and h.person_id = p.person_id and h.type = 'EmailAddress' and h.verified
     and not exists (select from vouchers v
                      where v.org_id = h.org_id and v.type = h.type and v.key = h.key and ${counts}))`

/** Of the user `u`. */
const directoryProfile = fragment`case when u.person_id is not null then
  json_build_object('profile', u.profile, 'updatedAt', floor(extract(epoch from u.updated_at))) end`

/**
 * The token first: before the first `analyze` the plan began with all grants of the organization, 45 index scans a sign-in in place of 5
 * (measured).
 */
export async function findToken(
  queries: Queries,
  organizationId: string,
  kind: TokenKind,
  idHash: Buffer,
  now: string,
): Promise<FoundToken | undefined> {
  const [row] = await queries.rows(sql<Omit<FoundToken, 'claims'> & { claims: string }>`
    with t as materialized (
      select * from issuer_tokens
       where org_id = ${organizationId} and id_hash = ${idHash} and kind = ${kind} and expires_at > ${now}
    )
    select t.payload, clock_timestamp()::text as "foundAt",
           t.consumed_at is not null and not ${isInGrace(fragment`clock_timestamp()`)} as "isConsumed",
           t.uses >= ${maxUses}::int and ${isInGrace(fragment`clock_timestamp()`)} as "isUsedUp",
           t.grant_id as "grantId", g.payload as "grantPayload",
           g.claims::text, g.authenticated_methods as "authenticatedMethods", p.person_id as "personId", p.active, p.region,
           p.groups, p.handles, ${identityClaims} as identity, ${doubtfulEmails} as "doubtfulEmails",
           ${directoryProfile} as "directoryProfile"
      from t
      join applications a on a.org_id = t.org_id and a.client_id = (t.payload ->> 'clientId')::uuid
      join issuer_grants g on g.org_id = t.org_id and g.id = t.grant_id
      join person_records p on p.org_id = g.org_id and p.person_id = g.person_id
      left join identities i on i.org_id = g.org_id and i.id = g.identity_id and i.person_id = g.person_id
      left join directory_users u on u.org_id = g.org_id and u.person_id = g.person_id
     where not ${grantHasEnded}`)
  // An earlier release may have stored claims that are protected by now.
  return row && { ...row, claims: keepHookClaims(parseExactly(row.claims) as object).claims }
}

type Use = {
  grantId: string
  idHash: Buffer
  foundAt: string
  /** In milliseconds. */
  now: number
}

/**
 * Marks a code or refresh token as used and inserts the tokens issued for it, in one statement. Gives whether it was allowed:
 * this was the first use, or one within the grace period. The grant is locked first, as by its removal, so that its lines take turns:
 * each one's first use shortens the others, and each further use may end the oldest.
 */
export const consumeToken = (
  queries: Queries,
  organizationId: string,
  { grantId, idHash, foundAt, now }: Use,
  tokens: NewToken[],
) =>
  hasRow(queries)(sql`
    with held as materialized (
      select id, has_lines from issuer_grants where org_id = ${organizationId} and id = ${grantId} for no key update
    ), consumed as (
      update issuer_tokens t
         set consumed_at = coalesce(t.consumed_at, clock_timestamp()), uses = t.uses + 1
        from held, applications a
       where t.org_id = ${organizationId} and t.id_hash = ${idHash} and t.grant_id = held.id
         and a.org_id = t.org_id and a.client_id = (t.payload ->> 'clientId')::uuid
         and (t.consumed_at is null or t.uses < ${maxUses}::int and ${isInGrace(fragment`${foundAt}::timestamptz`)})
      returning t.grant_id, t.uses, held.has_lines
    ), forked as (
      update issuer_grants g set has_lines = true from consumed c
       where g.org_id = ${organizationId} and g.id = c.grant_id and c.uses > 1 and not c.has_lines
    ), others as (
      select l.id_hash, l.expires_at, (l.payload ->> 'iat')::numeric as issued_at
        from consumed c
        join issuer_tokens l on l.org_id = ${organizationId} and l.grant_id = c.grant_id
       where c.has_lines and l.kind = 'RefreshToken' and l.consumed_at is null and l.id_hash <> ${idHash}
         and l.expires_at > ${toTimestamp(now)}
    ), shortened as (
      update issuer_tokens l set expires_at = ${toTimestamp(now + lineMs)} from consumed c, others o
       where c.uses = 1 and l.org_id = ${organizationId} and l.id_hash = o.id_hash
         and o.expires_at > ${toTimestamp(now + lineMs)} and l.consumed_at is null
    ), surplus as (
      delete from issuer_tokens l using consumed c
       where c.uses > 1 and l.org_id = ${organizationId} and l.consumed_at is null
         and l.id_hash in (select id_hash from others order by issued_at desc, expires_at desc offset ${maxLines - 1}::int)
    )
    insert into issuer_tokens (org_id, id_hash, kind, grant_id, payload, expires_at)
    select ${organizationId}, t.id_hash, t.kind, c.grant_id, t.payload::json, t.expires_at
      from consumed c, unnest(${tokens.map(({ idHash }) => idHash)}::bytea[], ${tokens.map(({ kind }) => kind)}::text[],
                              ${tokens.map(({ payload }) => JSON.stringify(payload))}::text[],
                              ${tokens.map(({ expiresAt }) => expiresAt)}::timestamptz[])
                       as t (id_hash, kind, payload, expires_at)
    returning id_hash`)

/** After a use that was not allowed: the grant ends, unless it was one too many within the grace period, which another use overtook. */
export const removeMisusedGrant = (
  queries: Queries,
  organizationId: string,
  { grantId, idHash, foundAt }: Omit<Use, 'now'>,
) =>
  queries.rows(sql`
    delete from issuer_grants g
     where g.org_id = ${organizationId} and g.id = ${grantId}
       and not exists (select from issuer_tokens t
                         join applications a on a.org_id = t.org_id and a.client_id = (t.payload ->> 'clientId')::uuid
                        where t.org_id = g.org_id and t.id_hash = ${idHash} and ${isInGrace(fragment`${foundAt}::timestamptz`)})`)
