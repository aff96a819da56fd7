import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { UpstreamIdentity } from '../providers/index.ts'

/** By this a person is found, within an organization. */
export type IdentityKey = { provider: string } & Pick<UpstreamIdentity, 'issuer' | 'subject'>

export type Identity = IdentityKey & { id: string; email: string | null; created_at: Date }

type NewIdentity = IdentityKey & {
  id: string
  credentialId: string
  email: string | undefined
  createdAt: string
}

export type KnownPerson = { personId: string; active: boolean; region: string; groups: string[] }

export async function findPersonOf(
  queries: Queries,
  organizationId: string,
  { provider, issuer, subject }: IdentityKey,
): Promise<KnownPerson | undefined> {
  const [row] = await queries.rows(sql<KnownPerson>`
    select p.person_id as "personId", p.active, p.region, p.groups
      from identities i join person_records p on p.org_id = i.org_id and p.person_id = i.person_id
     where i.org_id = ${organizationId} and i.provider = ${provider} and i.issuer = ${issuer} and i.subject = ${subject}`)
  return row
}

/** Gives whether nobody has it: of two sign-ins that bring it together, the second waits for the first and is told. */
export async function insertIdentity(
  tx: Transaction,
  organizationId: string,
  personId: string,
  { id, provider, issuer, subject, credentialId, email, createdAt }: NewIdentity,
): Promise<boolean> {
  const rows = await tx.rows(sql`
    insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, email, created_at)
    values (${organizationId}, ${id}, ${personId}, ${provider}, ${issuer}, ${subject}, ${credentialId}, ${email}, ${createdAt})
    on conflict (org_id, provider, issuer, subject) do nothing
    returning id`)
  return rows.length > 0
}

/** Gives whether it is still this person's; then the address is written, where it is new. */
export async function confirmIdentity(
  tx: Transaction,
  organizationId: string,
  personId: string,
  { provider, issuer, subject }: IdentityKey,
  email: string | undefined,
): Promise<boolean> {
  const rows = await tx.rows(sql`
    with found as materialized (
      select id from identities
       where org_id = ${organizationId} and provider = ${provider} and issuer = ${issuer} and subject = ${subject}
         and person_id = ${personId}
    ), updated as (
      update identities i set email = ${email} from found
       where i.org_id = ${organizationId} and i.id = found.id and i.email is distinct from ${email}
    )
    select from found`)
  return rows.length > 0
}

/** In the order in which they were first seen. */
export const listIdentities = (queries: Queries, organizationId: string, personId: string): Promise<Identity[]> =>
  queries.rows(sql<Identity>`
    select id, provider, issuer, subject, email, created_at from identities
     where org_id = ${organizationId} and person_id = ${personId} order by id`)

export async function hasIdentity(queries: Queries, organizationId: string, personId: string): Promise<boolean> {
  const rows = await queries.rows(sql`
    select from identities where org_id = ${organizationId} and person_id = ${personId} limit 1`)
  return rows.length > 0
}

/** Gives whether the person had it. */
export async function deleteIdentity(
  tx: Transaction,
  organizationId: string,
  personId: string,
  identityId: string,
): Promise<boolean> {
  const rows = await tx.rows(sql`
    delete from identities
     where org_id = ${organizationId} and person_id = ${personId} and id = ${identityId} returning id`)
  return rows.length > 0
}
