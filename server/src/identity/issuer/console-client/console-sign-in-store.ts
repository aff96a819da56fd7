import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow } from '../../../ground/database/rows.ts'
import { sql } from '../../../ground/database/sql.ts'

/** `returnTo`: a path below the base URL. */
export type ConsoleSignIn = { returnTo: string; invitationId: string | null }

/** Which one, and the hashes of the secrets that the browser has. */
type Looked = { stateHash: Buffer; secretHashes: Buffer[]; now: string }

export const insertConsoleSignIn = (
  queries: Queries,
  organizationId: string,
  signIn: ConsoleSignIn & { stateHash: Buffer; secretHash: Buffer; expiresAt: string },
) =>
  queries.rows(sql`
    insert into console_sign_ins (org_id, state_hash, secret_hash, return_to, invitation_id, expires_at)
    values (${organizationId}, ${signIn.stateHash}, ${signIn.secretHash}, ${signIn.returnTo}, ${signIn.invitationId},
            ${signIn.expiresAt})`)

/** Only for the browser that began it. */
export const findConsoleSignIn = (queries: Queries, organizationId: string, { stateHash, secretHashes, now }: Looked) =>
  firstRow(queries)(sql<ConsoleSignIn>`
    select return_to as "returnTo", invitation_id as "invitationId" from console_sign_ins
     where org_id = ${organizationId} and state_hash = ${stateHash} and secret_hash = any(${secretHashes}::bytea[])
       and expires_at > ${now}`)

/** As `findConsoleSignIn`, once: it is over then. `secretHash` says which secret of the browser it was. */
export const takeConsoleSignIn = (
  tx: Queries | Transaction,
  organizationId: string,
  { stateHash, secretHashes, now }: Looked,
) =>
  firstRow(tx)(sql<ConsoleSignIn & { secretHash: Buffer }>`
    delete from console_sign_ins
     where org_id = ${organizationId} and state_hash = ${stateHash} and secret_hash = any(${secretHashes}::bytea[])
       and expires_at > ${now}
    returning return_to as "returnTo", invitation_id as "invitationId", secret_hash as "secretHash"`)
