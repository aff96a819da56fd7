import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Page } from '../http/operation.ts'

export type ApplicationFields = {
  name: string
  /** As given: they are compared letter by letter. */
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  confidential: boolean
  id_token_signed_response_alg: 'RS256' | 'ES256'
  require_pkce: boolean
}
/** The hash is null where the application is public. */
export type ApplicationColumns = ApplicationFields & { client_secret_hash: Buffer | null }
export type Application = ApplicationColumns & { client_id: string; created_at: Date }

export async function insertApplication(queries: Queries, organizationId: string, application: Application) {
  const { client_id, name, redirect_uris, post_logout_redirect_uris, created_at, ...others } = application
  await queries.rows(sql`
    insert into applications
      (org_id, client_id, name, redirect_uris, post_logout_redirect_uris, confidential, client_secret_hash,
       id_token_signed_response_alg, require_pkce, created_at)
    values (${organizationId}, ${client_id}, ${name}, ${redirect_uris}, ${post_logout_redirect_uris},
            ${others.confidential}, ${others.client_secret_hash}, ${others.id_token_signed_response_alg},
            ${others.require_pkce}, ${created_at})`)
}

/** In the order of their creation: an id begins with its time. */
export const listApplications = (
  queries: Queries,
  organizationId: string,
  { limit, offset }: Page,
): Promise<Application[]> =>
  queries.rows(sql<Application>`
    select client_id, name, redirect_uris, post_logout_redirect_uris, confidential, client_secret_hash,
           id_token_signed_response_alg, require_pkce, created_at from applications
     where org_id = ${organizationId} order by client_id limit ${limit} offset ${offset}`)

export async function countApplications(queries: Queries, organizationId: string): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    select count(*) from applications where org_id = ${organizationId}`)
  return row?.count ?? 0
}

export async function findApplication(
  queries: Queries,
  organizationId: string,
  clientId: string,
): Promise<Application | undefined> {
  const [row] = await queries.rows(sql<Application>`
    select client_id, name, redirect_uris, post_logout_redirect_uris, confidential, client_secret_hash,
           id_token_signed_response_alg, require_pkce, created_at from applications
     where org_id = ${organizationId} and client_id = ${clientId}`)
  return row
}

/** As `findApplication`; nobody else changes it until the end of the transaction. */
export async function lockApplication(
  tx: Transaction,
  organizationId: string,
  clientId: string,
): Promise<Application | undefined> {
  const [row] = await tx.rows(sql<Application>`
    select client_id, name, redirect_uris, post_logout_redirect_uris, confidential, client_secret_hash,
           id_token_signed_response_alg, require_pkce, created_at from applications
     where org_id = ${organizationId} and client_id = ${clientId} for no key update`)
  return row
}

/** Only of an application that was locked. */
export async function updateApplication(
  tx: Transaction,
  organizationId: string,
  clientId: string,
  { name, redirect_uris, post_logout_redirect_uris, ...others }: ApplicationColumns,
) {
  await tx.rows(sql`
    update applications
       set name = ${name}, redirect_uris = ${redirect_uris}, post_logout_redirect_uris = ${post_logout_redirect_uris},
           confidential = ${others.confidential}, client_secret_hash = ${others.client_secret_hash},
           id_token_signed_response_alg = ${others.id_token_signed_response_alg}, require_pkce = ${others.require_pkce}
     where org_id = ${organizationId} and client_id = ${clientId}`)
}

export async function removeApplication(queries: Queries, organizationId: string, clientId: string): Promise<boolean> {
  const rows = await queries.rows(sql`
    delete from applications where org_id = ${organizationId} and client_id = ${clientId} returning client_id`)
  return rows.length > 0
}
