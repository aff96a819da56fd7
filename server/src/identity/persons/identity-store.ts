import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { type Handle, maxHandles } from './handle.ts'

/** Identifies a person within an organization; nothing else does. */
export type IdentityKey = { provider: string; issuer: string; subject: string }

export type Identity = IdentityKey & { id: string; email: string | null; created_at: Date }

/** What a provider says of a person now. */
export type ProviderClaims = {
  email: string | null
  /** The address as a handle's key, or as it is where it can be no handle. */
  emailKey: string | null
  /** Whether the provider's word for the address counts. */
  emailVerified: boolean
  /** The address for which it counts, where that can be a handle. */
  handle: Handle | undefined
  profile: object
}

export type NewIdentity = IdentityKey & ProviderClaims & { id: string; credentialId: string; createdAt: string }

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
export const insertIdentity = (tx: Transaction, organizationId: string, personId: string, identity: NewIdentity) =>
  hasRow(tx)(sql`
    insert into identities
      (org_id, id, person_id, provider, issuer, subject, credential_id, email, email_key, email_verified, profile, created_at,
       updated_at)
    values (${organizationId}, ${identity.id}, ${personId}, ${identity.provider}, ${identity.issuer}, ${identity.subject},
            ${identity.credentialId}, ${identity.email}, ${identity.emailKey}, ${identity.emailVerified},
            ${JSON.stringify(identity.profile)}::jsonb, ${identity.createdAt}::timestamptz, ${identity.createdAt}::timestamptz)
    on conflict do nothing
    returning id`)

/** `confirmedKey`: of the address that its provider confirmed until now. */
export type KnownIdentity = { isCurrent: boolean; confirmedKey: string | null }

/**
 * The identity of the person, if the person still has it. It is current where the provider says what it said before, and the handle of
 * a confirmed address has its voucher, or cannot have it.
 */
export const findIdentity = (
  tx: Transaction,
  organizationId: string,
  personId: string,
  { id, email, emailKey, emailVerified, handle, profile }: ProviderClaims & { id: string },
) =>
  firstRow(tx)(sql<KnownIdentity>`
    select case when email_verified then email_key end as "confirmedKey",
           ${saysTheSame({ email, emailKey, emailVerified, profile })}
           and (${handle?.key}::text is null
                or exists (select from vouchers v
                            where v.org_id = i.org_id and v.type = 'EmailAddress' and v.key = ${handle?.key}
                              and v.identity_id = i.id)
                or ${cannotHave(handle?.key)}) as "isCurrent"
      from identities i
     where org_id = ${organizationId} and id = ${id} and person_id = ${personId}`)

const saysTheSame = ({ email, emailKey, emailVerified, profile }: Omit<ProviderClaims, 'handle'>) => fragment`(
  (email, email_key, email_verified, profile)
    is not distinct from
  (${email}::text, ${emailKey}::text, ${emailVerified}::boolean, ${JSON.stringify(profile)}::jsonb))`

/** It is vouched for as another person's, or the person of the identity `i` is at the limit without it. */
const cannotHave = (key: string | undefined) => fragment`(
  exists (select from handles h
           where h.org_id = i.org_id and h.type = 'EmailAddress' and h.key = ${key} and h.person_id <> i.person_id and h.verified)
  or (select count(*) >= ${maxHandles} and bool_or(h.type = 'EmailAddress' and h.key = ${key}) is not true
        from handles h where h.org_id = i.org_id and h.person_id = i.person_id))`

/**
 * Until the transaction ends, no other sign-in at this issuer changes who has one of these addresses. Locked in the order of the locks, so
 * that two that swap addresses wait for one another. Two that are the same by chance wait as well.
 */
export const lockAddresses = async (tx: Transaction, organizationId: string, issuer: string, keys: string[]) =>
  keys.length > 0 &&
  (await tx.rows(sql`
    select pg_advisory_xact_lock(${addressLock}, number)
      from (select distinct hashtext(${`${organizationId} ${issuer} `} || key) as number from unnest(${keys}::text[]) key
             order by number) locks`))

/** Any fixed number: the first part of these locks. */
const addressLock = 1_936_291_042

/** An issuer confirms an address for one account: the earlier one's claim is not confirmed any more, and it vouches no more. */
export const withdrawFromEarlier = async (
  tx: Transaction,
  organizationId: string,
  { issuer, id }: { issuer: string; id: string },
  keys: string[],
  now: string,
) =>
  keys.length > 0 &&
  (await tx.rows(sql`
    with earlier as (
      update identities set email_verified = false, updated_at = ${now}
       where org_id = ${organizationId} and issuer = ${issuer} and email_key = any(${keys}) and email_verified and id <> ${id}
      returning id
    )
    delete from vouchers v using earlier e
     where v.org_id = ${organizationId} and v.identity_id = e.id and v.key = any(${keys})`))

/**
 * Gives whether it was updated: no other sign-in with the same identity came first, after `confirmedKey` was read. An address that
 * another account has taken meanwhile makes no difference.
 */
export const updateIdentity = (
  tx: Transaction,
  organizationId: string,
  {
    id,
    email,
    emailKey,
    emailVerified,
    profile,
    confirmedKey,
    now,
  }: ProviderClaims & KnownIdentity & { id: string; now: string },
) =>
  hasRow(tx)(sql`
    with found as materialized (
      select id, not ${saysTheSame({ email, emailKey, emailVerified, profile })} as differs
        from identities
       where org_id = ${organizationId} and id = ${id}
         and (not email_verified or email_key is not distinct from ${confirmedKey})
    ), updated as (
      update identities i
         set email = ${email}, email_key = ${emailKey}, email_verified = ${emailVerified},
             profile = ${JSON.stringify(profile)}::jsonb, updated_at = ${now}
        from found where i.org_id = ${organizationId} and i.id = found.id and differs
    )
    select from found`)

/** In the order of their first sign-in. */
export const listIdentities = (queries: Queries, organizationId: string, personId: string): Promise<Identity[]> =>
  queries.rows(sql<Identity>`
    select id, provider, issuer, subject, email, created_at from identities
     where org_id = ${organizationId} and person_id = ${personId} order by id`)

export const countIdentities = (queries: Queries, organizationId: string, personId: string) =>
  numberIn(queries)(sql`
    select count(*) from identities where org_id = ${organizationId} and person_id = ${personId}`)

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

/**
 * Whether what the directory of this issuer says may give the person this identity: the person has none there, and this one was never
 * removed from anybody.
 */
export const mayBePushed = async (
  queries: Queries,
  organizationId: string,
  personId: string,
  { provider, issuer, subject }: IdentityKey,
): Promise<boolean> =>
  !(await hasRow(queries)(sql`
    select from identities where org_id = ${organizationId} and person_id = ${personId} and issuer = ${issuer}
     union all
    select from former_identities
     where org_id = ${organizationId} and provider = ${provider} and issuer = ${issuer}
       and subject_hash = sha256(convert_to(${subject}, 'UTF8'))
     limit 1`))

/** Undefined: at any issuer. */
export const hasIdentityElsewhere = (
  queries: Queries,
  organizationId: string,
  personId: string,
  issuer: string | undefined,
) =>
  hasRow(queries)(sql`
    select from identities
     where org_id = ${organizationId} and person_id = ${personId} and issuer is distinct from ${issuer} limit 1`)

/** Gives the identity, if the person had it; it is then recorded as a former one. It vouches for nothing any more. */
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
