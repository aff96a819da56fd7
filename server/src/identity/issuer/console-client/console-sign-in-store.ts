import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { firstRow } from '../../../ground/database/rows.ts'
import { sql } from '../../../ground/database/sql.ts'

/** `returnTo`: a path below the base URL. `formerHash`: of the cookie of the session of the console that the browser had then. */
export type ConsoleSignIn = { returnTo: string; invitationId: string | null; formerHash: Buffer | null }

/** Which one, and the hashes of the secrets that the browser has. */
type Looked = { stateHash: Buffer; secretHashes: Buffer[]; now: string }

export const insertConsoleSignIn = (
  queries: Queries,
  organizationId: string,
  signIn: ConsoleSignIn & { stateHash: Buffer; secretHash: Buffer; expiresAt: string },
) =>
  queries.rows(sql`
    insert into console_sign_ins (org_id, state_hash, secret_hash, return_to, invitation_id, former_hash, expires_at)
    values (${organizationId}, ${signIn.stateHash}, ${signIn.secretHash}, ${signIn.returnTo}, ${signIn.invitationId},
            ${signIn.formerHash}, ${signIn.expiresAt})`)

/** Only for the browser that began it. */
export const findConsoleSignIn = (queries: Queries, organizationId: string, { stateHash, secretHashes, now }: Looked) =>
  firstRow(queries)(sql<Pick<ConsoleSignIn, 'invitationId'>>`
    select invitation_id as "invitationId" from console_sign_ins
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
    returning return_to as "returnTo", invitation_id as "invitationId", former_hash as "formerHash", secret_hash as "secretHash"`)
