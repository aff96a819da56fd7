/**
 * From a commit to a claim: makes lanes due, and notifies other processes where this one is not enough, and of what is
 * revoked. The sweep finds what is lost here, with the process or with the database.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queries } from '../../ground/database/database.ts'
import { sql } from '../../ground/database/sql.ts'
import { createAnnouncer } from '../../ground/runtime/announcer.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { createCounter } from '../../ground/runtime/counter.ts'
import { type LaneKey, nameOfLane, type OnFailpoint } from './delivery.ts'
import { wakeLanes } from './store/lanes.ts'

/** Lanes that wait to be woken, in all and of one organization; the sweep wakes what is above. */
const maxToWake = 20_000
const maxToWakeOfOrganization = maxToWake / 4
/** Between two announcements to the other processes, for a notification's lock holds up commits. */
const announceIntervalMs = 20
/** Between two wakings where no worker claims. */
export const wakeIntervalMs = announceIntervalMs

/**
 * Tells every listening process that something became due. A statement of its own: inside a writing transaction its lock
 * would halve the rate of commits (measured).
 */
export const announceDue = async (queries: Queries) => {
  await queries.rows(sql`select pg_notify('signet_due', '')`)
}

/** Tells every listening process to release what it has not begun to send of a webhook or an organization. */
export const announceRevocation = async (queries: Queries, id: string) => {
  await queries.rows(sql`select pg_notify('signet_revoked', ${id})`)
}

/** Tells every listening process that a delivery is to be tried out of its order. */
export const announceTry = async (queries: Queries) => {
  await queries.rows(sql`select pg_notify('signet_tried', '')`)
}

type LaneWakerDependencies = {
  database: Database
  clock: Clock
  workerId: string
  /** There is no other process to notify. */
  isAlone: boolean
  onFailpoint: OnFailpoint
  onError: (error: unknown) => void
}

export type LaneWaker = ReturnType<typeof createLaneWaker>

/** Wakes lanes in batches, outside the writing transactions. */
export function createLaneWaker({ database, clock, workerId, isAlone, onFailpoint, onError }: LaneWakerDependencies) {
  const waiting = new Map<string, LaneKey>()
  let waitingOf = createCounter()
  let underWay = new Set<string>()
  const announce = isAlone
    ? () => {}
    : createAnnouncer(() => announceDue(database.write), { intervalMs: announceIntervalMs, onError })

  const add = (lane: LaneKey) => {
    const name = nameOfLane(lane)
    const { organizationId } = lane
    if (waiting.has(name) || waiting.size >= maxToWake || waitingOf.of(organizationId) >= maxToWakeOfOrganization)
      return
    waiting.set(name, lane)
    waitingOf.add(organizationId)
  }

  const takeAll = () => {
    const lanes = [...waiting.values()]
    waiting.clear()
    waitingOf = createCounter()
    underWay = organizationsOf(lanes)
    return lanes
  }

  return {
    add,
    isNeeded: () => waiting.size > 0,
    /** Whether lanes of that organization are being woken, or were locked or could not be woken the last time. */
    isUnderWay: (organizationId: string) => underWay.has(organizationId),
    /** Wakes what was added; a locked lane is added again. `isEnough`: whether this process will claim it all. Never rejects. */
    async wakeAll(queries: Queries, isEnough: () => boolean): Promise<{ unhealthyDue: number }> {
      const lanes = takeAll()
      if (lanes.length === 0) return { unhealthyDue: Infinity }
      try {
        const { isForeign, unhealthyDue, locked } = await wakeLanes(queries, lanes, toTimestamp(clock.now()), workerId)
        for (const lane of locked) add(lane)
        underWay = organizationsOf(locked)
        onFailpoint('woken')
        // Where all are locked nothing became due, and they are tried again soon.
        if (locked.length < lanes.length && (isForeign || !isEnough())) announce()
        return { unhealthyDue }
      } catch (error) {
        onError(error)
        // They may have been woken all the same, and only the reply was lost.
        return { unhealthyDue: -Infinity }
      }
    },
  }
}

const organizationsOf = (lanes: LaneKey[]) => new Set(lanes.map(({ organizationId }) => organizationId))

type WakeDependencies = {
  database: Database
  laneWaker: LaneWaker
  /** This process's worker, which wakes lanes as it claims. */
  worker: { isClaiming(): boolean; wakeSoon(): void; claimSoon(): void } | undefined
  onFailpoint: OnFailpoint
}

/** To be called right after a commit, with the webhooks of an organization that have something waiting. */
export type Wake = (organizationId: string, webhookIds: string[]) => void

/** This process's worker wakes lanes as it claims; where none works, they are woken here. */
export function createWake({ database, laneWaker, worker, onFailpoint }: WakeDependencies) {
  /** It wakes the lanes of all, so it does not run in the async context of the first. */
  const inOwnContext = AsyncLocalStorage.snapshot()
  let isWaking = false
  let woken = Promise.resolve()

  const wakeUntilNone = async () => {
    isWaking = true
    while (laneWaker.isNeeded() && !worker?.isClaiming()) {
      await laneWaker.wakeAll(database.write, () => false)
      // It may have begun to claim meanwhile, and have missed what was woken.
      worker?.claimSoon()
      // Also after the last waking, so that the others are told of it before a stop goes on.
      await sleep(wakeIntervalMs)
    }
    isWaking = false
  }

  const begin = () => {
    if (!isWaking && laneWaker.isNeeded()) woken = inOwnContext(wakeUntilNone)
  }

  const wake: Wake = (organizationId, webhookIds) => {
    onFailpoint('published')
    for (const webhookId of webhookIds) laneWaker.add({ organizationId, webhookId })
    worker?.wakeSoon()
    if (!worker?.isClaiming()) begin()
  }

  /** Once the worker claims no more: wakes what is left, and resolves when that is done. */
  const allWoken = () => {
    begin()
    return woken
  }

  return { wake, allWoken }
}
