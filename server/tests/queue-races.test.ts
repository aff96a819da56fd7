import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/database/sql.ts'
import {
  armLanes,
  type ClaimedDelivery,
  claimDeliveries,
  type LaneKey,
  rescueExpired,
  type Settlement,
  settleDeliveries,
} from '../src/delivery/delivery-store.ts'
import { makeId } from '../src/identifiers.ts'
import { type Queue, testQueue } from './support/queue.ts'

const callsPerWebhook = 3
let queue: Queue

beforeAll(async () => {
  queue = await testQueue(24)
})

afterAll(() => queue.drop())

const timestamp = (ms = Date.now()) => new Date(ms).toISOString()

const claimBy = (queries = queue.database.write, slots = 20, leaseMs = 25_000) =>
  claimDeliveries(queries, {
    now: timestamp(),
    leaseEnd: timestamp(Date.now() + leaseMs),
    claim: makeId(Date.now()),
    callsPerWebhook,
    slots,
  })
const arm = (lanes: LaneKey[]) => armLanes(queue.database.write, lanes, timestamp(), callsPerWebhook)
const settle = (settlements: Settlement[]) =>
  settleDeliveries(queue.database.write, settlements, timestamp(), callsPerWebhook)
