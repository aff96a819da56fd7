import { createHash, randomUUID } from 'node:crypto'
import type { Organization } from './signet.ts'

type Query = (text: string, values: unknown[]) => Promise<unknown>

/** A session of a person at these applications, as a sign-in leaves it; gives the `sid` of each. */
export async function addSession(query: Query, { id }: Organization, personId: string, clientIds: string[]) {
  const uid = randomUUID()
  const authorizations = Object.fromEntries(
    clientIds.map((clientId) => [clientId, { sid: randomUUID(), grantId: randomUUID() }]),
  )
  const payload = { kind: 'Session', uid, accountId: personId, authorizations }
  await query(
    `insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
     values ($1, $2, $3, $4, $5, '[]', $6, now() + interval '1 day')`,
    [id, uid, createHash('sha256').update(uid).digest(), personId, randomUUID(), JSON.stringify(payload)],
  )
  return Object.values(authorizations).map(({ sid }) => sid)
}
