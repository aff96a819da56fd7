import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Credentials } from './exchange.ts'

/** A session of a person at these applications, as a sign-in leaves it. */
export async function addSession(
  database: pg.Pool,
  { organizationId }: Pick<Credentials, 'organizationId'>,
  personId: string,
  clientIds: string[],
) {
  const uid = randomUUID()
  const sidAndGrant = () => ({ sid: randomUUID(), grantId: randomUUID() })
  const authorizations = Object.fromEntries(clientIds.map((clientId) => [clientId, sidAndGrant()]))
  const payload = { kind: 'Session', uid, accountId: personId, authorizations }
  await database.query(
    `insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
     values ($1, $2, $3, $4, $5, '[]', $6, now() + interval '1 day')`,
    [organizationId, uid, createHash('sha256').update(uid).digest(), personId, randomUUID(), JSON.stringify(payload)],
  )
}
