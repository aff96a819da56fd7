import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import type { Role } from '../../src/ground/http/chain/roles.ts'
import { createRecorder } from '../../src/identity/audit-log/index.ts'
import { createSessions } from '../../src/identity/console/sessions.ts'
import { builtInTiers, createAuthentication } from '../../src/identity/organizations/index.ts'
import { cookieOf, holderOf, ownPage } from './console.ts'
import { clock, hourMs, ids, inside, keyring, newAddress, ours, service, session } from './own-console.ts'
import type { Organization } from './signet.ts'

export type Person = { personId: string; sessionUid: string; credentialId: string; group: string; cookie: string }

type Entering = { at?: Organization; name?: string; browser?: string }

/** A person of the organization in one new group for each of the roles, who is signed in at the console. */
export async function enter(roles: Role[], { at = ours, name = 'jo', browser }: Entering = {}): Promise<Person> {
  const suffix = randomBytes(4).toString('hex')
  const groups = roles.map((role) => `${role}-${suffix}`)
  for (const group of groups) expect((await service.as(at, 'POST', '/groups', { name: group })).status).toBe(201)
  const handles = [{ type: 'EmailAddress', value: `${name}-${suffix}@example.com` }]
  const { body } = await service.as(at, 'POST', '/persons', { handles, groups })
  const personId: string = body.result.person_id
  await Promise.all(roles.map((role, index) => giveAccess(at, groups[index] as string, role)))
  const signedIn = await signInAtIssuer(at, personId)
  const cookie = await begin(at, personId, signedIn, browser)
  return { personId, ...signedIn, group: groups[0] as string, cookie }
}

export const giveAccess = ({ id }: Organization, group: string, role: Role) =>
  inside.write.rows(sql`
    insert into console_access (org_id, group_name, role) values (${id}, ${group}, ${role})
    on conflict (org_id, group_name) do update set role = excluded.role`)

/** A session of the issuer, as a sign-in leaves it. */
async function signInAtIssuer({ id }: Organization, personId: string) {
  const sessionUid = randomUUID()
  const credentialId = randomUUID()
  const now = new Date(clock.now())
  const authentications = JSON.stringify([{ timestamp: now.toISOString() }])
  await inside.write.rows(sql`
    insert into issuer_sessions (org_id, uid, id_hash, person_id, credential_id, authentications, payload, expires_at)
    values (${id}, ${sessionUid}, ${randomBytes(32)}, ${personId}, ${credentialId}, ${authentications}, '{}',
            ${new Date(now.getTime() + 48 * hourMs)})`)
  return { sessionUid, credentialId }
}

/** Gives the cookie, as the browser keeps it that has `browser` already. */
export async function begin(
  { id }: Organization,
  personId: string,
  { sessionUid }: { sessionUid: string },
  browser?: string,
): Promise<string> {
  const operatorKey = () => service.operatorKey
  const common = { database: inside, clock, operatorKey, tiers: builtInTiers }
  const authentication = createAuthentication(common)
  const sessions = createSessions({ ...common, keyring, baseUrl: service.baseUrl, authentication })
  const headers = { 'user-agent': 'Firefox', ...(browser && { cookie: browser }) }
  const request = { id: randomUUID(), ip: newAddress(), headers, isOfConsole: false } as never
  const person = { personId, sessionUid, authenticatedAt: new Date(clock.now()) }
  const lines = await sessions.begin({ organizationId: id, person }, request, createRecorder({ clock, keyring }))
  const cookie = cookieOf({ status: 204, body: undefined, text: '', headers: { 'set-cookie': lines } })
  const reply = await service.send('GET', session, { ...ownPage, ...holderOf(cookie), cookie })
  ids.set(cookie, reply.body.result.id)
  return cookie
}
