import { decodeJwt } from 'jose'
import pg from 'pg'
import { vi } from 'vitest'
import { patience } from '../../../faults/support/suite.ts'
import type { Connection } from '../../../support/database.ts'
import type { Receiver } from '../../../support/receiver.ts'
import type { Client as Caller, Organization } from '../../../support/signet.ts'
import { isOff, nameOf } from './directory.ts'
import { type FoldedPerson, foldEvents } from './fold-events.ts'
import type { Tenant } from './installation.ts'
import type { Requests, ScimAnswer } from './requests.ts'
import type { Side } from './sides.ts'
import { hasEnded, type Session } from './sign-ins.ts'
import { attributesIn, attributesOf, differing } from './wire.ts'

type Resource = ScimAnswer['body']

type Evidence = {
  caller: Caller
  receiver: Receiver
  database: Connection
  tenants: Tenant[]
  sides: Side[]
  sessions: Session[]
}

const groupExtension = 'urn:signet:scim:schemas:1.0:Group'
const pageSize = 1_000
/** Of groups, which come with their members. */
const groupsInPage = 20

/** In words; none, where the directories, SCIM, the interface, the events and the sessions say one thing. */
export async function differencesOfAll({ caller, tenants, sides, ...evidence }: Evidence): Promise<string[]> {
  const differences = await differencesOfSessions(evidence)
  differences.push(...sides.flatMap(({ client }) => client.repaired.map((what) => `${what} had to be repaired`)))
  for (const tenant of tenants) {
    const kept: Kept[] = []
    for (const side of sides.filter((one) => one.tenant === tenant)) kept.push(await readKept(side))
    differences.push(...kept.flatMap(differencesOfDirectory))
    const persons = await readPersons(caller, tenant.organization)
    const { people, impossible } = foldEvents(await readEvents(caller, tenant.organization))
    differences.push(...impossible, ...differencesOfPersons(kept, persons, people))
  }
  return differences
}

/** What SCIM shows of a directory. */
type Kept = Side & { users: Map<string, Resource>; shownGroups: Map<string, Resource> }

async function readKept(side: Side): Promise<Kept> {
  const users = await readAll(side.requests, 'Users', pageSize)
  return { ...side, users, shownGroups: await readAll(side.requests, 'Groups', groupsInPage) }
}

async function readAll({ ask }: Requests, type: string, count: number): Promise<Map<string, Resource>> {
  const resources = new Map<string, Resource>()
  for (let startIndex = 1; ; startIndex += count) {
    const { body } = await ask('GET', `/${type}?startIndex=${startIndex}&count=${count}`, [200])
    for (const resource of body.Resources) resources.set(resource.id, resource)
    if (startIndex + count > body.totalResults) return resources
  }
}

function differencesOfDirectory({ directory, links, users, shownGroups }: Kept): string[] {
  const differences: string[] = []
  const differ = (what: string) => void differences.push(`${directory.name}: ${what}`)
  for (const person of directory.people) {
    const user = users.get(links.get(person) ?? '')
    const [wanted, found] = [attributesOf(person), user && attributesIn(user)]
    if (!found || differing(wanted, found).length > 0)
      differ(`${nameOf(person)} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
  }
  for (const group of directory.groups) {
    const found = shownGroups.get(links.get(group) ?? '')
    if (found?.displayName !== group.displayName) differ(`${nameOf(group)} is called ${found?.displayName}`)
    const wanted = new Set(Array.from(group.members, (person) => links.get(person)))
    for (const member of wanted.symmetricDifference(new Set(membersOf(found))))
      differ(`${nameOf(group)}: ${member} is in it, or is not, as should not be`)
  }
  if (users.size !== directory.people.size) differ(`${users.size} users, not ${directory.people.size}`)
  if (shownGroups.size !== directory.groups.size) differ(`${shownGroups.size} groups, not ${directory.groups.size}`)
  return differences
}

const membersOf = (group: Resource): string[] => (group?.members ?? []).map(({ value }: { value: string }) => value)

/** Between what SCIM shows, what the interface does, and what a reader of the events has learnt. */
function differencesOfPersons(kept: Kept[], persons: Map<string, Resource>, told: Map<string, FoldedPerson>): string[] {
  const { groupsOf, names } = readMemberships(kept)
  const bornInactive = new Set(kept.flatMap((one) => Array.from(one.bornInactive, (person) => one.links.get(person))))
  const differences: string[] = []
  const users = kept.flatMap((one) => [...one.users.values()])
  for (const { id, userName, active, emails } of users) {
    const [person, folded] = [persons.get(id), told.get(id)]
    // Of a group that was deleted no event tells.
    const groupsTold = [...(folded?.groups ?? [])].filter((name) => names.has(name))
    const wanted = { active, email: emails[0].value, groups: (groupsOf.get(id) ?? []).toSorted() }
    const byInterface = { active: person?.active, email: person?.handles[0]?.value, groups: person?.groups.toSorted() }
    const byEvents = { ...wanted, active: folded?.isActive ?? !bornInactive.has(id), groups: groupsTold.toSorted() }
    for (const [by, found] of Object.entries({ byInterface, byEvents }))
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        differences.push(`${userName} ${by}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
  }
  if (persons.size !== users.length) differences.push(`${persons.size} persons, not ${users.length}`)
  if (told.size !== users.length) differences.push(`${told.size} persons by events, not ${users.length}`)
  return differences
}

/** By the names that Signet made of the groups. */
function readMemberships(kept: Kept[]) {
  const groupsOf = new Map<string, string[]>()
  const names = new Set<string>()
  for (const group of kept.flatMap(({ shownGroups }) => [...shownGroups.values()])) {
    const { groupName } = group[groupExtension]
    names.add(groupName)
    for (const member of membersOf(group)) groupsOf.set(member, [...(groupsOf.get(member) ?? []), groupName])
  }
  return { groupsOf, names }
}

async function readPersons(caller: Caller, organization: Organization): Promise<Map<string, Resource>> {
  const persons = new Map<string, Resource>()
  for (let offset = 0; ; offset += pageSize) {
    const { body } = await caller.as(organization, 'GET', `/persons?limit=${pageSize}&offset=${offset}`)
    for (const person of body.result) persons.set(person.person_id, person)
    if (body.result.length < pageSize) return persons
  }
}

async function readEvents(caller: Caller, organization: Organization) {
  const events = []
  for (let after = ''; ; ) {
    const query = `event_name=Person*&limit=${pageSize}${after && `&after=${after}`}`
    const { body } = await caller.as(organization, 'GET', `/events?${query}`)
    events.push(...body.result)
    after = body.meta.next
    if (!body.meta.has_more) return events
  }
}

/**
 * Who was switched off has no session of before, and its application was told so; whoever was not switched off since has
 * each one still.
 */
async function differencesOfSessions({
  database,
  receiver,
  sessions,
}: Pick<Evidence, 'database' | 'receiver' | 'sessions'>) {
  const client = new pg.Client(database)
  await client.connect()
  try {
    await vi.waitFor(async () => {
      const { rowCount } = await client.query('select from deliveries union all select from unqueued_deliveries')
      if (rowCount) throw new Error(`${rowCount} deliveries are left`)
    }, patience)
    const { rows } = await client.query(
      `select a.value ->> 'sid' as sid from issuer_sessions s, json_each(s.payload -> 'authorizations') a`,
    )
    const there = new Set(rows.map(({ sid }) => sid))
    const told = new Set(receiver.received('/logout').map(({ body }) => sidIn(body)))
    return sessions.flatMap((session) => differencesOfSession(session, there.has(session.sid), told.has(session.sid)))
  } finally {
    await client.end()
  }
}

function differencesOfSession(session: Session, isThere: boolean, isTold: boolean): string[] {
  const { person, wasSteady, begun } = session
  const isKept = wasSteady && begun === person.offBegun
  const its = `a session of ${nameOf(person)}`
  return [
    ...(isThere && (hasEnded(session) || isOff(person)) ? [`${its} has not ended`] : []),
    ...(hasEnded(session) && !isTold ? [`the application was not told that ${its} ended`] : []),
    ...(isKept && !isThere ? [`${its} has ended`] : []),
  ]
}

const sidIn = (body: string) => decodeJwt(new URLSearchParams(body).get('logout_token') ?? '').sid
