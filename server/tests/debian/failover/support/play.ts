import { setTimeout as wait } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { receivedByTwoWorkers } from '../../../faults/support/invariants.ts'
import { claimsOf } from '../../../support/jwt.ts'
import type { Received } from '../../../support/receiver.ts'
import type { Organization } from '../../../support/signet.ts'
import { faultOf } from './faults.ts'
import type { Installation } from './installation.ts'
import { type Load, startLoad } from './load.ts'
import type { Round } from './rounds.ts'

/** Where the events of an organization arrive: one webhook that answers at once, and one whose calls take a second. */
export const paths = ['/at-once', '/slow'] as const

/** What a round ended with. */
export type Outcome = {
  outage: Outage
  withinMs: number
  load: Load
  /** Ids of the events of the persons. */
  events: string[]
  lost: string[]
  delivered: number
  byTwoWorkers: number
}

/** The longest time without an acknowledged write, and when it ended after the fault. */
type Outage = { lastedMs: number; backAfterMs: number }

/** What happens by itself: a lease that a lost settlement left behind ends after 25 s, and is found within 20 s more. */
const patience = { timeout: 90_000, interval: 100 }

/** Breaks something under load, and mends it once writes are back; ends when the cluster is healthy and all is delivered. */
export async function play(
  installation: Installation,
  organization: Organization,
  { number, fault, afterMs }: Round,
): Promise<Outcome> {
  const { cluster, address, receiver } = installation
  const { role, withinMs, strike } = faultOf(fault)
  const load = startLoad(address, organization, `round-${number}`)
  await untilWriting(load)
  await wait(afterMs)
  const node = await cluster.withRole(role ?? 'leader')
  const struckAt = performance.now()
  const mend = await strike(node, cluster)
  if (role) await vi.waitFor(async () => expect((await cluster.withRole(role)).name).not.toBe(node.name), patience)
  await untilWriting(load)
  await mend()
  await cluster.untilHealthy()
  await untilWriting(load)
  await load.stop()
  const outage = outageAfter(struckAt, load.acknowledgedAt)
  const { events, lost } = await findLost(installation, organization, load)
  const delivered = await untilDelivered(() => paths.map(receiver.received), load)
  return { outage, withinMs, load, events, lost, delivered, byTwoWorkers: receivedByTwoWorkers(receiver.all()).length }
}

async function untilWriting({ acknowledgedAt }: Load) {
  const before = acknowledgedAt.length
  await vi.waitFor(() => expect(acknowledgedAt.length).toBeGreaterThan(before + 20), patience)
}

function outageAfter(struckAt: number, acknowledgedAt: number[]): Outage {
  const moments = [struckAt, ...acknowledgedAt.filter((at) => at > struckAt)]
  const gaps = moments.slice(1).map((until, index) => ({ until, lastedMs: until - (moments[index] ?? 0) }))
  const { until, lastedMs } = gaps.reduce((one, other) => (other.lastedMs > one.lastedMs ? other : one))
  return { lastedMs, backAfterMs: until - struckAt }
}

/** Of what was acknowledged, on the primary of now: persons and their events, and groups. */
async function findLost({ cluster }: Installation, { id }: Organization, { persons, groups }: Load) {
  const primary = await cluster.withRole('leader')
  const read = async (text: string) =>
    (await primary.query<{ found: string }>(text, 'signet')).map(({ found }) => found)
  const keptPersons = new Set(await read(`select id as found from persons where org_id = '${id}'`))
  const keptGroups = new Set(await read(`select name as found from groups where org_id = '${id}'`))
  const rows = await primary.query<{ event: string; person: string }>(
    `select id as event, payload::json ->> 'person_id' as person from events where org_id = '${id}'`,
    'signet',
  )
  const eventOf = new Map(rows.map(({ event, person }) => [person, event]))
  const isKept = (person: string) => keptPersons.has(person) && eventOf.has(person)
  return {
    events: persons.map((person) => eventOf.get(person)).filter((event) => event !== undefined),
    lost: [...persons.filter((person) => !isKept(person)), ...groups.filter((name) => !keptGroups.has(name))],
  }
}

/** Counts the persons whose creation has arrived at every path. */
async function untilDelivered(received: () => Received[][], { persons }: Load): Promise<number> {
  const count = () => {
    const arrived = received().map((calls) => new Set(calls.map(personIn)))
    return persons.filter((person) => arrived.every((persons) => persons.has(person))).length
  }
  await vi.waitFor(() => expect(count()).toBe(persons.length), { ...patience, interval: 1_000 }).catch(() => {})
  return count()
}

const personIn = ({ body }: Received): string => claimsOf(body).trigger_content.person_id
