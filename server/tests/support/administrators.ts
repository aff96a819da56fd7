import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { hashOf } from '../../src/ground/runtime/secret-hash.ts'
import { makeSessionToken } from '../../src/identity/console/session-cookie.ts'
import { ownPage } from './console.ts'
import type { Answer, Client, Headings, Organization } from './signet.ts'

const credentials = '/organizations/sso/oidc/provider-credentials'
const clientId = 'administrators'
const dayMs = 24 * 3_600_000

export type Administrator = {
  personId: string
  /** What a page of the console sends for this person. */
  headers: Headings
  cookie: string
  sessionId: string
  identityId: string
  /** Of the issuer. */
  sessionUid: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
}

/** `groups`: besides the one of the role. `signedInAgoMs`: absent, just now. */
type Options = { role: Role; groups?: string[]; signedInAgoMs?: number; isSecure?: boolean }

/** The group that gives the role, `owners` for owners; made, and given access to the console, where that is not so yet. */
export const groupOf = (role: Role) => `${role}s`

/**
 * A person with a role, who can sign in by an active credential, and has done so: written as a sign-in would write it, without a
 * provider.
 */
export async function makeAdministrator(
  client: Client,
  inside: pg.Client,
  organization: Organization,
  { role, groups = [], signedInAgoMs = 0, isSecure = false }: Options,
): Promise<Administrator> {
  const group = groupOf(role)
  await done(client.as(organization, 'POST', '/groups', { name: group }))
  await inside.query(`insert into console_access values ($1, $2, $3) on conflict do nothing`, [
    organization.id,
    group,
    role,
  ])
  const person = await done(client.as(organization, 'POST', '/persons', { groups: [group, ...groups] }))
  return signInAdministrator(client, inside, organization, person.person_id, { signedInAgoMs, isSecure })
}

/** A session of the console for a person, who gets an identity where there is none. Nobody asks whether the person may enter. */
export async function signInAdministrator(
  client: Client,
  inside: pg.Client,
  organization: Organization,
  personId: string,
  { signedInAgoMs = 0, isSecure = false }: Pick<Options, 'signedInAgoMs' | 'isSecure'> = {},
): Promise<Administrator> {
  const credentialId = await credentialOf(client, inside, organization)
  const identityId = await identityOf(inside, organization, personId, credentialId)
  const at = new Date(Date.now() - signedInAgoMs)
  const ends = new Date(at.getTime() + dayMs)
  const sessionUid = randomBytes(16).toString('hex')
  const authentications = JSON.stringify([{ timestamp: at.toISOString(), method: 'provider_a' }])
  await inside.query(
    `insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, identity_id, authentications, payload, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, '{}', $8)`,
    [organization.id, sessionUid, randomBytes(32), personId, credentialId, identityId, authentications, ends],
  )
  const [sessionId, token] = [makeId(Date.now()), makeSessionToken(organization.id)]
  await inside.query(
    `insert into console_sessions (org_id, id, token_hash, person_id, session_uid, authenticated_at, created_at, used_at, ends_at,
                                   client_ip_address, user_agent)
     values ($1, $2, $3, $4, $5, $6, $6, now(), $7, '192.0.2.1', 'Mozilla/5.0')`,
    [organization.id, sessionId, hashOf(token), personId, sessionUid, at, ends],
  )
  const cookie = `${isSecure ? '__Host-' : ''}signet-console-${organization.id}=${token}`
  const headers = { ...ownPage, 'service-orgid': organization.id, 'service-console': sessionId, cookie }
  const call = (method: string, path: string, body?: unknown) => client.call(method, path, headers, body)
  return { personId, headers, cookie, sessionId, identityId, sessionUid, call }
}

/** Of a credential that is active, by which all of them sign in. */
async function credentialOf(client: Client, inside: pg.Client, organization: Organization): Promise<string> {
  const given = { client_id: clientId, client_secret: 'secret', provider: 'provider_a' }
  await client.as(organization, 'POST', credentials, given)
  const found = 'select id from oidc_credentials where org_id = $1 and client_id = $2'
  return (await inside.query(found, [organization.id, clientId])).rows[0].id
}

async function identityOf(inside: pg.Client, { id }: Organization, personId: string, credentialId: string) {
  const found = `select id from identities where org_id = $1 and person_id = $2 and provider = 'provider_a'`
  const { rows } = await inside.query(found, [id, personId])
  if (rows[0]) return rows[0].id as string
  const identityId = makeId(Date.now())
  await inside.query(
    `insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, email_verified, profile, created_at,
                             updated_at)
     values ($1, $2, $3, 'provider_a', 'https://accounts.google.com', $4, $5, false, '{}', now(), now())`,
    [id, identityId, personId, randomUUID(), credentialId],
  )
  return identityId
}

/** How many statements in the database wait for a lock. */
export const waitingStatements = `
  select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

async function done(answer: Promise<Answer>) {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.result
}
