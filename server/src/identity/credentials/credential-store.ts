import type { Queries, Transaction } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import type { Provider, ProviderOptions } from './provider-options.ts'

/** As many as a page can offer; others are found by their client id. */
const maxChoices = 100

/** The columns that a change may set. */
export type CredentialColumns = {
  /** Encrypted. */
  client_secret: Buffer
  label: string
  external_cred_id: string
  options: ProviderOptions
  /** Nobody signs in with one that is not. */
  active: boolean
}
export type NewCredential = CredentialColumns & { id: string; client_id: string; provider: Provider }
/** `issuer`: found by discovery, where the options do not determine it. */
export type StoredCredential = NewCredential & { version: number; issuer: string | null }
/** A credential as the page offers it. */
export type Choice = Pick<StoredCredential, 'id' | 'client_id' | 'provider' | 'label'>

/** Gives whether it was inserted: the organization had no credential of this client id. */
export async function insertCredential(
  queries: Queries,
  organizationId: string,
  { id, client_id, provider, client_secret, label, external_cred_id, options, active }: NewCredential,
): Promise<boolean> {
  const rows = await queries.rows(sql`
    insert into oidc_credentials (org_id, id, client_id, provider, client_secret, label, external_cred_id, options, active)
    values (${organizationId}, ${id}, ${client_id}, ${provider}, ${client_secret}, ${label}, ${external_cred_id}, ${options},
            ${active})
    on conflict (org_id, client_id) do nothing
    returning id`)
  return rows.length > 0
}

/** In the order of their creation: an id begins with its time. */
export const listCredentials = (
  queries: Queries,
  organizationId: string,
  provider: Provider | undefined,
  { limit, offset }: Page,
): Promise<StoredCredential[]> =>
  queries.rows(sql<StoredCredential>`
    select id, client_id, provider, client_secret, label, external_cred_id, options, active, version, issuer from oidc_credentials
     where org_id = ${organizationId} and (${provider}::text is null or provider = ${provider})
     order by id limit ${limit} offset ${offset}`)

export async function countCredentials(
  queries: Queries,
  organizationId: string,
  provider: Provider | undefined,
): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    select count(*) from oidc_credentials
     where org_id = ${organizationId} and (${provider}::text is null or provider = ${provider})`)
  return row?.count ?? 0
}

export async function findByClientId(
  queries: Queries,
  organizationId: string,
  clientId: string,
): Promise<StoredCredential | undefined> {
  const [row] = await queries.rows(sql<StoredCredential>`
    select id, client_id, provider, client_secret, label, external_cred_id, options, active, version, issuer from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId}`)
  return row
}

export async function findById(
  queries: Queries,
  organizationId: string,
  credentialId: string,
): Promise<StoredCredential | undefined> {
  const [row] = await queries.rows(sql<StoredCredential>`
    select id, client_id, provider, client_secret, label, external_cred_id, options, active, version, issuer from oidc_credentials
     where org_id = ${organizationId} and id = ${credentialId}`)
  return row
}

/** As `findByClientId`, and locks the row until the end of the transaction. */
export async function lockCredential(
  tx: Transaction,
  organizationId: string,
  clientId: string,
): Promise<StoredCredential | undefined> {
  const [row] = await tx.rows(sql<StoredCredential>`
    select id, client_id, provider, client_secret, label, external_cred_id, options, active, version, issuer from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId} for no key update`)
  return row
}

/** The credential must be locked. With another tenant its issuer is unknown again. */
export async function updateCredential(
  tx: Transaction,
  organizationId: string,
  credentialId: string,
  { client_secret, label, external_cred_id, options, active }: CredentialColumns,
) {
  await tx.rows(sql`
    update oidc_credentials
       set client_secret = ${client_secret}, label = ${label}, external_cred_id = ${external_cred_id},
           issuer = case when lower(options->>'tenant') is not distinct from ${options.tenant?.toLowerCase()} then issuer end,
           options = ${options}, active = ${active}, version = version + 1
     where org_id = ${organizationId} and id = ${credentialId}`)
}

/** Only for the version that was read, and only once. */
export async function saveIssuer(
  queries: Queries,
  organizationId: string,
  { id, version }: Pick<StoredCredential, 'id' | 'version'>,
  issuer: string,
) {
  await queries.rows(sql`
    update oidc_credentials set issuer = ${issuer}
     where org_id = ${organizationId} and id = ${id} and version = ${version} and issuer is null`)
}

/** Gives the credential, if there was one. */
export async function removeCredential(
  queries: Queries,
  organizationId: string,
  clientId: string,
): Promise<StoredCredential | undefined> {
  const [row] = await queries.rows(sql<StoredCredential>`
    delete from oidc_credentials where org_id = ${organizationId} and client_id = ${clientId}
    returning id, client_id, provider, client_secret, label, external_cred_id, options, active, version, issuer`)
  return row
}

/** Those that are active, the oldest first. */
export const listChoices = (queries: Queries, organizationId: string): Promise<Choice[]> =>
  queries.rows(sql<Choice>`
    select id, client_id, provider, label from oidc_credentials
     where org_id = ${organizationId} and active order by id limit ${maxChoices}`)

/** One that is active. */
export async function findChoice(
  queries: Queries,
  organizationId: string,
  clientId: string,
): Promise<Choice | undefined> {
  const [row] = await queries.rows(sql<Choice>`
    select id, client_id, provider, label from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId} and active`)
  return row
}
