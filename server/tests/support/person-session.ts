import type { Database } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { hashOf } from '../../src/ground/runtime/secret-hash.ts'
import { makeSessionToken } from '../../src/identity/console/session-cookie.ts'
import type { Organization } from './signet.ts'

/** As after a sign-in at the organization's issuer, without one: the cookie of a person's session of the console. */
export async function personCookie(
  { write }: Database,
  { id: organizationId }: Organization,
  personId: string,
  authenticatedAt = new Date(),
): Promise<string> {
  const [id, uid, token] = [makeId(Date.now()), `of-${makeId(Date.now())}`, makeSessionToken(organizationId)]
  const endsAt = new Date(Date.now() + 24 * 3_600_000)
  const authentications = JSON.stringify([{ timestamp: authenticatedAt.toISOString() }])
  await write.rows(sql`
    insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
    values (${organizationId}, ${uid}, ${hashOf(uid)}, ${personId}, ${id}, ${authentications}::json, '{}', ${endsAt})`)
  await write.rows(sql`
    insert into console_sessions (org_id, id, token_hash, person_id, session_uid, authenticated_at, created_at, used_at, ends_at)
    values (${organizationId}, ${id}, ${hashOf(token)}, ${personId}, ${uid}, ${authenticatedAt}, ${new Date()}, ${new Date()}, ${endsAt})`)
  return `signet-console-${organizationId}=${token}`
}
