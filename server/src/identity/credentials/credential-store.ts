import { beginsWithAnyCase, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { firstRow, hasRow, numberIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
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
  trust_email_domains: string[]
} & Wait
/** Since when it waits for an admin key to confirm it, and whose work that is. Null: it is active, or an admin key switched it off. */
export type Wait = { waits_since: Date | null; waits_for: 'link' | 'key' | null }
export const waitsNoMore: Wait = { waits_since: null, waits_for: null }
export type NewCredential = CredentialColumns & { id: string; client_id: string; provider: Provider }
/** `issuer`: found by discovery, where the options do not determine it. */
export type StoredCredential = NewCredential & { version: number; issuer: string | null }
/** A credential as the page offers it. */
export type Choice = Pick<StoredCredential, 'id' | 'client_id' | 'provider' | 'label'>

const given = fragment`id, client_id, provider, client_secret, label, external_cred_id, options, active, trust_email_domains, waits_since, waits_for`
const columns = fragment`${given}, version, issuer`
const offered = fragment`id, client_id, provider, label`

/** Gives whether it was inserted: the organization had no credential of this client id. */
export const insertCredential = (
  queries: Queries,
  organizationId: string,
  {
    id,
    client_id,
    provider,
    client_secret,
    label,
    external_cred_id,
    options,
    active,
    trust_email_domains,
    waits_since,
    waits_for,
  }: NewCredential,
) =>
  hasRow(queries)(sql`
    insert into oidc_credentials (org_id, ${given})
    values (${organizationId}, ${id}, ${client_id}, ${provider}, ${client_secret}, ${label}, ${external_cred_id}, ${options},
            ${active}, ${trust_email_domains}, ${waits_since}, ${waits_for})
    on conflict (org_id, client_id) do nothing
    returning id`)

/** The newest first: an id begins with its time. */
export const listCredentials = (
  queries: Queries,
  organizationId: string,
  provider: Provider | undefined,
  { limit, offset }: Page,
): Promise<StoredCredential[]> =>
  queries.rows(sql<StoredCredential>`
    select ${columns} from oidc_credentials
     where org_id = ${organizationId} and (${provider}::text is null or provider = ${provider})
     order by id desc limit ${limit} offset ${offset}`)

export const countCredentials = (queries: Queries, organizationId: string, provider: Provider | undefined) =>
  numberIn(queries)(sql`
    select count(*) from oidc_credentials
     where org_id = ${organizationId} and (${provider}::text is null or provider = ${provider})`)

export const findByClientId = (queries: Queries, organizationId: string, clientId: string) =>
  firstRow(queries)(sql<StoredCredential>`
    select ${columns} from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId}`)

export const findById = (queries: Queries, organizationId: string, credentialId: string) =>
  firstRow(queries)(sql<StoredCredential>`
    select ${columns} from oidc_credentials
     where org_id = ${organizationId} and id = ${credentialId}`)

/** Labels of those that there are and that have one, by their client ids. */
export async function namesOfCredentials(queries: Queries, organizationId: string, clientIds: readonly string[]) {
  const rows = await queries.rows(sql<{ id: string; name: string }>`
    select client_id as id, label as name from oidc_credentials
     where org_id = ${organizationId} and client_id = any(${clientIds}::text[]) and label <> ''`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Client ids of those that there are, by their ids. */
export async function clientIdsOfCredentials(queries: Queries, organizationId: string, ids: readonly string[]) {
  const rows = await queries.rows(sql<{ id: string; clientId: string }>`
    select id, client_id as "clientId" from oidc_credentials
     where org_id = ${organizationId} and id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, clientId }) => [id, clientId]))
}

/** As `findByClientId`, and locks the row until the end of the transaction. */
export const lockCredential = (tx: Transaction, organizationId: string, clientId: string) =>
  firstRow(tx)(sql<StoredCredential>`
    select ${columns} from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId} for no key update`)

/** As `findByClientId`, and it does not change before the end of the transaction. */
export const holdCredential = (tx: Transaction, organizationId: string, clientId: string) =>
  firstRow(tx)(sql<StoredCredential>`
    select ${columns} from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId} for share`)

/** The credential must be locked. With another tenant its issuer is unknown again. */
export const updateCredential = (
  tx: Transaction,
  organizationId: string,
  credentialId: string,
  { client_secret, label, external_cred_id, options, active, trust_email_domains, ...wait }: CredentialColumns,
) =>
  tx.rows(sql`
    update oidc_credentials
       set client_secret = ${client_secret}, label = ${label}, external_cred_id = ${external_cred_id},
           issuer = case when lower(options->>'tenant') is not distinct from ${options.tenant?.toLowerCase()} then issuer end,
           options = ${options}, active = ${active}, trust_email_domains = ${trust_email_domains},
           waits_since = ${wait.waits_since}, waits_for = ${wait.waits_for}, version = version + 1
     where org_id = ${organizationId} and id = ${credentialId}`)

/** Those that wait longest last. An older release confirms one without a word of its waiting. */
export const findWaiting = (queries: Queries, organizationId: string, limit: number) =>
  queries.rows(sql<
    Pick<StoredCredential, 'client_id' | 'label' | 'provider'> & { waits_since: Date; waits_for: 'link' | 'key' }
  >`
    select client_id, label, provider, waits_since, waits_for from oidc_credentials
     where org_id = ${organizationId} and waits_since is not null and not active
     order by waits_since desc, id limit ${limit}`)

/** Only for the version that was read, and only once. */
export const saveIssuer = (
  queries: Queries,
  organizationId: string,
  { id, version }: Pick<StoredCredential, 'id' | 'version'>,
  issuer: string,
) =>
  queries.rows(sql`
    update oidc_credentials set issuer = ${issuer}
     where org_id = ${organizationId} and id = ${id} and version = ${version} and issuer is null`)

/** Gives the credential, if there was one. */
export const removeCredential = (queries: Queries, organizationId: string, clientId: string) =>
  firstRow(queries)(sql<StoredCredential>`
    delete from oidc_credentials where org_id = ${organizationId} and client_id = ${clientId}
    returning ${columns}`)

/** Those that are active, the oldest first. */
export const listChoices = (queries: Queries, organizationId: string): Promise<Choice[]> =>
  queries.rows(sql<Choice>`
    select ${offered} from oidc_credentials
     where org_id = ${organizationId} and active order by id limit ${maxChoices}`)

/** One that is active. */
export const findChoice = (queries: Queries, organizationId: string, clientId: string) =>
  firstRow(queries)(sql<Choice>`
    select ${offered} from oidc_credentials
     where org_id = ${organizationId} and client_id = ${clientId} and active`)

/** By label, or the one with the client id. */
export const searchCredentials = (queries: Queries, organizationId: string, { text, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string; provider: Provider }>`
    select client_id as id, label as name, provider from oidc_credentials where org_id = ${organizationId} and client_id = ${text}
    union
    (select client_id, label, provider from oidc_credentials
      where org_id = ${organizationId} and label <> '' and ${beginsWithAnyCase(fragment`label`, text)}
      order by lower(label) collate "C", client_id limit ${limit})
    order by 2`)
