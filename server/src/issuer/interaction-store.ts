import type { AdapterPayload } from 'oidc-provider'
import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import { parseExactly } from '../runtime/exact-json.ts'
import type { Result } from './interaction.ts'

/** `expiresAt` and `now` are RFC 3339, here and below. */
export type KeptInteraction = { uid: string; payload: AdapterPayload; windowLocation: string; expiresAt: string }
export type FoundInteraction = { payload: AdapterPayload; windowLocation: string; result: Result | null }

export async function keepInteraction(
  queries: Queries,
  organizationId: string,
  { uid, payload, windowLocation, expiresAt }: KeptInteraction,
) {
  await queries.rows(sql`
    insert into issuer_interactions (org_id, uid, payload, window_location, expires_at)
    values (${organizationId}, ${uid}, ${JSON.stringify(payload)}, ${windowLocation}, ${expiresAt})`)
}

export async function loadInteraction(
  queries: Queries,
  organizationId: string,
  uid: string,
  now: string,
): Promise<FoundInteraction | undefined> {
  const [row] = await queries.rows(sql<Omit<FoundInteraction, 'result'> & { result: string | null }>`
    select payload, window_location as "windowLocation", result::text from issuer_interactions
     where org_id = ${organizationId} and uid = ${uid} and expires_at > ${now}`)
  // The claims of hooks are in it, whose numbers stay as they were given.
  return row && { ...row, result: row.result === null ? null : (parseExactly(row.result) as Result) }
}

/** Gives the interaction, if it is open and had no result yet. */
export async function updateResult(
  tx: Transaction,
  organizationId: string,
  uid: string,
  result: Result,
  now: string,
): Promise<AdapterPayload | undefined> {
  const personId = 'signIn' in result ? result.signIn.personId : null
  const [row] = await tx.rows(sql<{ payload: AdapterPayload }>`
    update issuer_interactions set result = ${JSON.stringify(result)}, person_id = ${personId}
     where org_id = ${organizationId} and uid = ${uid} and expires_at > ${now} and result is null
    returning payload`)
  return row?.payload
}

/** Those that wait for the browser of a person who has signed in. */
export async function removeResults(tx: Transaction, organizationId: string, personId: string) {
  await tx.rows(sql`delete from issuer_interactions where org_id = ${organizationId} and person_id = ${personId}`)
}

export async function removeInteraction(queries: Queries, organizationId: string, uid: string) {
  await queries.rows(sql`delete from issuer_interactions where org_id = ${organizationId} and uid = ${uid}`)
}
