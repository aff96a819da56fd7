import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'
import type { Provider } from '../credentials/index.ts'
import type { UpstreamIdentity } from '../providers/index.ts'

/** Identifies a person within an organization. */
export type IdentityKey = { provider: Provider } & Pick<UpstreamIdentity, 'issuer' | 'subject'>

type Identity = IdentityKey & { id: string; email: string | null; created_at: Date }

type NewIdentity = IdentityKey & {
  id: string
  credentialId: string
  email: string | undefined
  createdAt: string
}

export type KnownPerson = { personId: string; active: boolean; region: string; groups: string[] }

export const findPersonOf = (queries: Queries, organizationId: string, { provider, issuer, subject }: IdentityKey) =>
  firstRow(queries)(sql<KnownPerson & { identityId: string }>`
    select i.id as "identityId", p.person_id as "personId", p.active, p.region, p.groups
      from identities i join person_records p on p.org_id = i.org_id and p.person_id = i.person_id
     where i.org_id = ${organizationId} and i.provider = ${provider} and i.issuer = ${issuer} and i.subject = ${subject}`)

/**
 * Gives whether it was inserted: nobody has the identity, and the person has none at that issuer. Of two sign-ins at once the
 * second waits for the first, and then inserts nothing.
 */
export const insertIdentity = (
  tx: Transaction,
  organizationId: string,
  personId: string,
  { id, provider, issuer, subject, credentialId, email, createdAt }: NewIdentity,
) =>
  hasRow(tx)(sql`
    insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, email, created_at)
    values (${organizationId}, ${id}, ${personId}, ${provider}, ${issuer}, ${subject}, ${credentialId}, ${email}, ${createdAt})
    on conflict do nothing
    returning id`)

/** Gives whether the person still has the identity; then a changed address is written. */
export const confirmIdentity = (
  tx: Transaction,
  organizationId: string,
  personId: string,
  identityId: string,
  email: string | undefined,
) =>
  hasRow(tx)(sql`
    with found as materialized (
      select id from identities
       where org_id = ${organizationId} and id = ${identityId} and person_id = ${personId}
    ), updated as (
      update identities i set email = ${email} from found
       where i.org_id = ${organizationId} and i.id = found.id and i.email is distinct from ${email}
    )
    select from found`)

/** In the order of their first sign-in. */
export const listIdentities = (queries: Queries, organizationId: string, personId: string): Promise<Identity[]> =>
  queries.rows(sql<Identity>`
    select id, provider, issuer, subject, email, created_at from identities
     where org_id = ${organizationId} and person_id = ${personId} order by id`)

export const hasIdentity = (queries: Queries, organizationId: string, personId: string) =>
  hasRow(queries)(sql`
    select from identities where org_id = ${organizationId} and person_id = ${personId} limit 1`)

/**
 * Whether a verified address may link this identity to this person: the person neither has nor ever had an identity at that
 * issuer, and this identity was never removed from anybody.
 */
export async function mayLink(
  queries: Queries,
  organizationId: string,
  personId: string,
  { provider, issuer, subject }: IdentityKey,
): Promise<boolean> {
  const rows = await queries.rows(sql`
    select from identities where org_id = ${organizationId} and person_id = ${personId} and issuer = ${issuer}
     union all
    select from former_identities where org_id = ${organizationId} and person_id = ${personId} and issuer = ${issuer}
     union all
    select from former_identities
     where org_id = ${organizationId} and provider = ${provider} and issuer = ${issuer}
       and subject_hash = sha256(convert_to(${subject}, 'UTF8'))
     limit 1`)
  return rows.length === 0
}

/** Gives the identity, if the person had it; it is then recorded as a former one. */
export const removeIdentity = (tx: Transaction, organizationId: string, personId: string, identityId: string) =>
  firstRow(tx)(sql<Identity>`
    with removed as (
      delete from identities
       where org_id = ${organizationId} and person_id = ${personId} and id = ${identityId}
      returning *
    ), remembered as (
      insert into former_identities (org_id, person_id, provider, issuer, subject_hash)
      select org_id, person_id, provider, issuer, sha256(convert_to(subject, 'UTF8')) from removed
      on conflict do nothing
    )
    select id, provider, issuer, subject, email, created_at from removed`)
