import { createPayloads } from '../../../../src/delivery/events/index.ts'
import type { FromPublication } from '../../../../src/delivery/queue/attempt.ts'
import { openDatabase } from '../../../../src/ground/database/database.ts'
import { sql } from '../../../../src/ground/database/sql.ts'
import { createKeys } from '../../../../src/ground/keys/index.ts'
import { toTimestamp } from '../../../../src/ground/runtime/clock.ts'
import { makeId } from '../../../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../../database.ts'
import { makeRecord } from '../../recorder.ts'
import { makeKeyring } from '../../service.ts'
import { dayMs, rules } from '../rules.ts'
import { joinDays } from './days.ts'
import { ownersOperations } from './owner.ts'

export const baseUrl = 'https://signet.example.com'
export const ignored = () => {}
export const log = { level: 'silent', info: ignored, debug: ignored, error: ignored }
/** Of a receiver that has not answered yet. */
export const requestsPerWebhook = rules.callsAtOnce

export type World = Awaited<ReturnType<typeof openWorld>>

/**
 * What a service does for deliveries, step by step as it is told, on a database of its own and a clock that it is given:
 * the real operations, stores and decisions. The network alone is left out: the receivers are the caller.
 */
export async function openWorld() {
  const connection = await testDatabase()
  const database = openDatabase(connection, 2, { planning: 'queue' })
  const keyring = makeKeyring()
  const start = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2
  const time = { now: start }
  const clock = { now: () => time.now }
  const keys = createKeys({ database, clock, keyring, keyLeadMs: rules.keyLeadMs, keyRotationMs: 90 * dayMs })
  /** What a publication handed over, by its claim. */
  const handedOver = new Map<string, FromPublication>()
  /** The webhooks of what was published since the last waking. */
  const woken: string[] = []
  const ofOwner = { database, clock, keyring, keys, handedOver, woken }
  await joinDays(database, start)
  return {
    ...ofOwner,
    connection,
    start,
    time,
    record: makeRecord(clock, keyring),
    payloads: createPayloads(),
    operations: ownersOperations(ofOwner),
  }
}

export async function closeWorld({ database, connection }: World) {
  await database.close()
  await connection.drop()
}

export function pass(world: World, ms: number) {
  world.time.now += ms
}

/** An organization without webhooks, at noon of today. */
export async function enter(world: World): Promise<string> {
  const { database, start, keys } = world
  world.time.now = start
  world.woken.length = 0
  world.handedOver.clear()
  const organizationId = makeId(start)
  await database.write.rows(sql`
    insert into organizations (id, name, pricing_tier, created_at)
    values (${organizationId}, 'x', 'unlimited', ${toTimestamp(start)})`)
  await keys.createSigningKeys(database.write, organizationId)
  return organizationId
}

/** Nothing of the organization is left that a later one could come upon. */
export const leave = ({ database }: World, organizationId: string) =>
  database.write.rows(sql`
    with left_behind as (delete from deliveries where org_id = ${organizationId})
    delete from webhooks where org_id = ${organizationId}`)
