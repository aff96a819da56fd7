import { beginsWithAnyCase, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries, Transaction } from '../../ground/database/database.ts'
import { numberIn } from '../../ground/database/rows.ts'
import { type Fragment, fragment, sql } from '../../ground/database/sql.ts'
import type { Page } from '../../ground/http/chain/operation.ts'
import { formatDuration, parseDuration } from '../../ground/runtime/duration.ts'
import { byUrgency, type ExpirySpan } from '../organizations/index.ts'
import type { ClientSecret } from './client-secret.ts'

export type ApplicationFields = {
  name: string
  /** Not normalized: they are compared character by character. */
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  confidential: boolean
  id_token_signed_response_alg: 'RS256' | 'ES256'
  require_pkce: boolean
  require_nonce: boolean
  home_url: string | null
  /** Identifiers of resources. */
  introspects: string[]
  backchannel_logout_uri: string | null
  backchannel_logout_session_required: boolean
  groups_claim: boolean
  /** A duration in Go's notation. */
  refresh_token_grace: string
}
/** A public application has no secrets. */
type ApplicationColumns = ApplicationFields & { secrets: ClientSecret[] }
export type Application = ApplicationColumns & { client_id: string; created_at: Date }

type StoredSecret = { id: string; hash: string; created_at: string; expires_at: string | null }
type StoredApplication = Omit<Application, 'refresh_token_grace' | 'secrets'> & {
  refresh_token_grace_ms: number
  client_secret_hash: Buffer | null
  client_secrets: StoredSecret[] | null
}

const columns = fragment`
  client_id, name, redirect_uris, post_logout_redirect_uris, confidential, client_secret_hash, client_secrets,
  id_token_signed_response_alg, require_pkce, groups_claim, refresh_token_grace_ms, created_at, require_nonce, home_url, introspects,
  backchannel_logout_uri, backchannel_logout_session_required`

function toApplication(row: StoredApplication): Application {
  const { refresh_token_grace_ms: ms, client_secret_hash: hash, client_secrets: listed, ...stored } = row
  const secrets = hash ? toSecrets(hash, listed ?? [], stored) : []
  return { ...stored, secrets, refresh_token_grace: formatDuration(ms) }
}

/** An older release writes the hash alone, which is then the only secret. */
function toSecrets(hash: Buffer, listed: StoredSecret[], { client_id, created_at }: Stored): ClientSecret[] {
  const secrets = listed.map((each) => ({
    id: each.id,
    hash: Buffer.from(each.hash, 'hex'),
    created_at: new Date(each.created_at),
    expires_at: each.expires_at === null ? null : new Date(each.expires_at),
  }))
  const isListed = secrets.some((each) => each.hash.equals(hash))
  return isListed ? secrets : [{ id: client_id, hash, created_at, expires_at: null }]
}
type Stored = Pick<Application, 'client_id' | 'created_at'>

/** The newest, for an older release. */
const latestHash = (secrets: ClientSecret[]) => secrets.at(-1)?.hash ?? null

const toColumn = (secrets: ClientSecret[]) =>
  JSON.stringify(secrets.map((each) => ({ ...each, hash: each.hash.toString('hex') })))

export async function insertApplication(queries: Queries, organizationId: string, application: Application) {
  const { client_id, name, redirect_uris, post_logout_redirect_uris, created_at, ...others } = application
  await queries.rows(sql`
    insert into applications (org_id, ${columns})
    values (${organizationId}, ${client_id}, ${name}, ${redirect_uris}, ${post_logout_redirect_uris},
            ${others.confidential}, ${latestHash(others.secrets)}, ${toColumn(others.secrets)}::json, ${others.id_token_signed_response_alg},
            ${others.require_pkce}, ${others.groups_claim}, ${parseDuration(others.refresh_token_grace)}, ${created_at},
            ${others.require_nonce}, ${others.home_url}, ${others.introspects}, ${others.backchannel_logout_uri},
            ${others.backchannel_logout_session_required})`)
}

/** The newest first: an id begins with its time. */
export async function listApplications(queries: Queries, organizationId: string, { limit, offset }: Page) {
  const rows = await queries.rows(sql<StoredApplication>`
    select ${columns} from applications
     where org_id = ${organizationId} order by client_id desc limit ${limit} offset ${offset}`)
  return rows.map(toApplication)
}

export const countApplications = (queries: Queries, organizationId: string) =>
  numberIn(queries)(sql`
    select count(*) from applications where org_id = ${organizationId}`)

/** Those that there are, by their ids. */
export async function namesOfApplications(queries: Queries, organizationId: string, ids: readonly string[]) {
  const rows = await queries.rows(sql<{ id: string; name: string }>`
    select client_id as id, name from applications where org_id = ${organizationId} and client_id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

type ExpiringSecret = { client_id: string; name: string; secret_id: string; created_at: Date; expires_at: Date }

/**
 * Applications whose last client secret to expire does so in the span: without another one they have none then. Where an older release
 * wrote the hash alone, that secret does not expire.
 */
export const findExpiringSecrets = (
  queries: Queries,
  organizationId: string,
  { from, now, until, limit }: ExpirySpan,
) =>
  queries.rows(sql<ExpiringSecret>`
    select a.client_id, a.name, s.id as secret_id, s.created_at, s.expires_at
      from applications a cross join lateral (
        select (each ->> 'id')::uuid as id, (each ->> 'created_at')::timestamptz as created_at, (each ->> 'expires_at')::timestamptz as expires_at,
               bool_or(each ->> 'hash' = encode(a.client_secret_hash, 'hex')) over () as is_listed
          from json_array_elements(a.client_secrets) each
         order by (each ->> 'expires_at')::timestamptz desc nulls first limit 1) s
     where a.org_id = ${organizationId} and a.confidential and s.is_listed and s.expires_at > ${from} and s.expires_at <= ${until}
     order by ${byUrgency(fragment`s.expires_at`, now)}, a.client_id limit ${limit}`)

export const findApplication = (queries: Queries, organizationId: string, clientId: string) =>
  find(queries, organizationId, clientId, fragment``)

/** As `findApplication`, and locks the row until the end of the transaction. */
export const lockApplication = (tx: Transaction, organizationId: string, clientId: string) =>
  find(tx, organizationId, clientId, fragment`for no key update`)

/** Undefined where the organization has none, or several. */
export async function findOnlyApplication(queries: Queries, organizationId: string) {
  const [only, ...others] = await listApplications(queries, organizationId, { limit: 2, offset: 0 })
  return others.length > 0 ? undefined : only
}

async function find(queries: Queries, organizationId: string, clientId: string, lock: Fragment) {
  const [row] = await queries.rows(sql<StoredApplication>`
    select ${columns} from applications where org_id = ${organizationId} and client_id = ${clientId} ${lock}`)
  return row && toApplication(row)
}

/** The application must be locked. */
export const updateApplication = (
  tx: Transaction,
  organizationId: string,
  clientId: string,
  { name, redirect_uris, post_logout_redirect_uris, ...others }: ApplicationColumns,
) =>
  tx.rows(sql`
    update applications
       set name = ${name}, redirect_uris = ${redirect_uris}, post_logout_redirect_uris = ${post_logout_redirect_uris},
           confidential = ${others.confidential}, client_secret_hash = ${latestHash(others.secrets)},
           client_secrets = ${toColumn(others.secrets)}::json,
           id_token_signed_response_alg = ${others.id_token_signed_response_alg}, require_pkce = ${others.require_pkce},
           groups_claim = ${others.groups_claim}, refresh_token_grace_ms = ${parseDuration(others.refresh_token_grace)},
           require_nonce = ${others.require_nonce}, home_url = ${others.home_url}, introspects = ${others.introspects},
           backchannel_logout_uri = ${others.backchannel_logout_uri},
           backchannel_logout_session_required = ${others.backchannel_logout_session_required}
     where org_id = ${organizationId} and client_id = ${clientId}`)

export const removeApplication = (tx: Transaction, organizationId: string, clientId: string) =>
  tx.rows(sql`delete from applications where org_id = ${organizationId} and client_id = ${clientId}`)

/** By name, or the one with the id. */
export const searchApplications = (queries: Queries, organizationId: string, { text, id, limit }: SearchTerm) =>
  queries.rows(sql<{ id: string; name: string }>`
    select client_id as id, name from applications where org_id = ${organizationId} and client_id = ${id}::uuid
    union
    (select client_id, name from applications
      where org_id = ${organizationId} and ${beginsWithAnyCase(fragment`name`, text)}
      order by lower(name) collate "C", client_id limit ${limit})
    order by 2`)
