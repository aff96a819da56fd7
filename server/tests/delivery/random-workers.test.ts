import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClaimedDelivery, LaneKey, Settlement } from '../../src/delivery/queue/delivery.ts'
import { sweepLanes } from '../../src/delivery/queue/store/rescue.ts'
import { rescueUnqueued } from '../../src/delivery/queue/store/unqueued.ts'
import { valuesIn } from '../../src/ground/database/rows.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { firstIdAt, makeId } from '../../src/ground/runtime/identifiers.ts'
import { publishClaim } from '../support/queue.ts'
import {
  claim,
  countDeliveries,
  dropQueue,
  maxInFlight,
  openQueue,
  queue,
  rescue,
  settleAll,
  succeeded,
  timestamp,
  toRetry,
  wakeAll,
  workerId,
  wrongLanes,
} from '../support/raced-queue.ts'

beforeEach(openQueue)
afterEach(dropQueue)

describe('Workers, publishers and receivers at random', () => {
  test('Random workers finish every delivery once, above no limit, and never need a sweep', async () => {
    const seen = await play({ rounds: 30, lostShare: 0 })
    expect(seen.attempts).toBe(seen.claims)
    expect(seen.claimedAsPublished).toBeGreaterThan(0)
    expect(seen.claimedAsPublished).toBeLessThan(seen.claims)
  })

  test('Random workers that die and answer late finish every delivery, above no limit', async () => {
    expect((await play({ rounds: 8, lostShare: 0.05 })).rescued).toBeGreaterThan(0)
  })
})

/** Many short rounds, for what one wake-up forgets the next one makes good. */
async function play({ rounds, lostShare }: { rounds: number; lostShare: number }) {
  const lanes = await queue.addWebhooks(3, maxInFlight)
  const seen = { claims: 0, claimedAsPublished: 0, rescued: 0, published: 0, attempts: 0 }
  for (let round = 0; round < rounds; round++) {
    await playRound(lanes, lostShare, seen)
    const { finished, pending, attempts } = await countDeliveries()
    expect({ finished, pending, wrong: await wrongLanes() }).toEqual({
      finished: seen.published * lanes.length,
      pending: 0,
      wrong: [],
    })
    seen.attempts = attempts
  }
  return seen
}

/**
 * Until what was published is finished, or nothing is woken or in flight any more. Where workers die it ends with a sweep that wakes
 * nothing: what is taken back from a worker while its lane is locked is woken by the sweep.
 */
async function playRound(
  lanes: LaneKey[],
  lostShare: number,
  seen: { claims: number; claimedAsPublished: number; rescued: number; published: number },
) {
  const owners = [workerId, makeId(Date.now()), makeId(Date.now())]
  // Those of the round before have ended.
  await queue.database.write.rows(sql`delete from unqueued_since`)
  const leaseMs = lostShare ? 50 : 25_000
  const since = Date.now()
  let publishing = true
  const isOver = async () => !publishing && (await isQuiet())
  const publisher = async () => {
    await wait(randomInt(5))
    const count = randomInt(1, 4)
    const claim = publishClaim(owners[randomInt(3)] as string, { limit: randomInt(20), leaseMs })
    const { claimed, waiting } = await queue.publish(count, randomInt(2) ? { claim, since } : {})
    seen.published += count
    seen.claims += claimed.length
    seen.claimedAsPublished += claimed.length
    const settling = settleDrawn(claimed)
    const toWake = lanes.filter(({ webhookId }) => waiting.includes(webhookId))
    await Promise.all([settling, wakeAll(randomInt(2) ? toWake : toWake.toReversed())])
  }
  const settleDrawn = (claimed: ClaimedDelivery[]) =>
    Promise.all(batches(claimed.map((delivery) => draw(delivery, lostShare))).map(settleSoon))
  const worker = async (by: string) => {
    const settling: Promise<unknown>[] = []
    while (!(await isOver())) {
      const claimed = await claim(randomInt(1, 20), { leaseMs, by })
      seen.claims += claimed.length
      settling.push(settleDrawn(claimed))
    }
    await Promise.all(settling)
  }
  const rescuer = async () => {
    while (lostShare && !(await isOver())) {
      seen.rescued += (await rescue()) + (await rescueLate(leaseMs))
      await wait(10)
    }
  }
  const watcher = async () => {
    while (!(await isOver())) expect(await wrongLanes()).toEqual([])
  }
  const work = () => Promise.all([...owners.map(worker), rescuer(), watcher()])
  const working = work()
  await Promise.all(Array.from({ length: 6 }, publisher))
  publishing = false
  await working
  while (lostShare && (await sweep()) > 0) await work()
}

/** Gives how many lanes it has woken. */
async function sweep() {
  const now = timestamp()
  return (await sweepLanes(queue.database.write, { now, lapsedBefore: now, workerId })).woken
}

function draw(delivery: ClaimedDelivery, lostShare: number): Settling {
  const chance = Math.random()
  if (chance < lostShare) return undefined
  const settlement = chance < 0.3 ? toRetry(delivery, randomInt(10)) : succeeded(delivery)
  // In the game with deaths some come after their lease of 50 ms.
  return { settlement, afterMs: lostShare && chance > 0.97 ? randomInt(40, 80) : randomInt(5) }
}

/** In one statement or in several, as it happens. */
const batches = (settlements: Settling[]) =>
  Object.values(
    Object.groupBy(
      settlements.filter((each) => each !== undefined),
      () => randomInt(3),
    ),
  )

/** Nothing is due, now or later, and nothing in flight: what is pending now would stay so for ever. */
async function isQuiet() {
  const [row] = await queue.database.write.rows(sql<{ quiet: boolean }>`
    select not exists (select from lanes where next_due_at < 'infinity')
       and not exists (select from deliveries where is_leased) and not exists (select from unqueued_deliveries) as quiet`)
  return row?.quiet
}

/** Takes back what is not in the queue from workers that have not settled it in time. */
async function rescueLate(leaseMs: number) {
  const late = await valuesIn(queue.database.read)(sql<{ worker_id: string }>`
    select distinct claimed_by as worker_id from unqueued_deliveries where event_id < ${firstIdAt(Date.now() - leaseMs)}`)
  const rescued = late.map((by) => rescueUnqueued(queue.database.write, by, Date.now(), new Date().toISOString()))
  return (await Promise.all(rescued)).reduce((sum, count) => sum + count, 0)
}

/** Undefined: its worker died. */
type Settling = { settlement: Settlement; afterMs: number } | undefined

async function settleSoon(batch: NonNullable<Settling>[] = []) {
  await wait(Math.max(...batch.map(({ afterMs }) => afterMs)))
  await settleAll(batch.map(({ settlement }) => settlement))
}
