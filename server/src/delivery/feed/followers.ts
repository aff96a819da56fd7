/**
 * Those who wait for what comes behind the end of the feed. One look serves all of a process, however many they are; without any
 * there is none.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import type { Positions } from '../../ground/positions/index.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { createSignal } from '../../ground/runtime/signal.ts'
import type { Announcements } from './announcements.ts'
import { findOrganizationsWithMore } from './follower-store.ts'

/** Between two looks: at least, and at most, where nothing was announced. */
const lookMs = { soonest: 50, latest: 3_000 }
/**
 * Between two looks while a transaction holds the feed back: what was announced is behind it, and its end need not be announced,
 * because it may have written to the audit log alone.
 */
const heldBackDelay = { initialMs: 50, maxMs: lookMs.latest }

type Dependencies = {
  database: Database
  clock: Clock
  positions: Pick<Positions, 'drawn' | 'end' | 'epoch'>
  announcements: Pick<Announcements, 'announce' | 'listen'>
  onError: (error: unknown) => void
}

/** Waits for something behind the position `after` of an organization. */
type Waiting = { organizationId: string; after: number; isLookedFor: boolean; resolve: () => void }

type Follower = {
  /** Resolves when there may be something behind the position `after`, and when the follower leaves. */
  more(after: number): Promise<void>
}

export type Followers = ReturnType<typeof createFollowers>

export function createFollowers({ database, clock, positions, announcements, onError }: Dependencies) {
  const waiting = new Set<Waiting>()
  const signal = createSignal(clock)
  const heldBack = createBackoff(heldBackDelay)
  let followers = 0
  let isLooking = false
  /** The end of the feed at the latest look. */
  let seenEnd = 0
  let seenEpoch = positions.epoch()

  const lookWhileFollowed = async () => {
    isLooking = true
    const listening = announcements.listen(signal.give)
    while (followers > 0) {
      signal.listen()
      const isHeldBack = await look().catch(onError)
      await sleep(lookMs.soonest)
      const latest = isHeldBack ? heldBack.next() : lookMs.latest
      if (followers > 0) await signal.sleep(latest - lookMs.soonest)
    }
    listening.stop()
    isLooking = false
    // One may have come in the meantime.
    begin()
  }

  const begin = () => {
    if (followers > 0 && !isLooking) void lookWhileFollowed()
  }

  /** Resolves to whether a transaction holds the feed back. */
  const look = async () => {
    if (waiting.size === 0) return false
    const drawn = await positions.drawn()
    const end = await positions.end()
    if (end !== seenEnd) heldBack.reset()
    if (positions.epoch() !== seenEpoch) releaseAll()
    else await releaseUpTo(end)
    return end < drawn
  }

  /** Asks nothing where the feed has not grown and nobody new waits. */
  const releaseUpTo = async (end: number) => {
    const due = [...waiting].filter((one) => end !== seenEnd || !one.isLookedFor)
    if (due.length === 0) return
    const found = await findOrganizationsWithMore(database.read, lowestPositions(due), end)
    seenEnd = end
    for (const one of due) {
      one.isLookedFor = true
      if (found.has(one.organizationId)) release(one)
    }
  }

  /** In another history positions stand for other events: each follower finds out whether its own is there. */
  const releaseAll = () => {
    seenEpoch = positions.epoch()
    for (const one of waiting) release(one)
  }

  const release = (one: Waiting) => {
    waiting.delete(one)
    one.resolve()
  }

  return {
    /** A follower, until `over` aborts. */
    join(organizationId: string, over: AbortSignal): Follower {
      // It may have left while its first answers were awaited.
      if (over.aborted) return { more: async () => {} }
      let mine: Waiting | undefined
      followers++
      begin()
      over.addEventListener('abort', () => {
        followers--
        if (mine) release(mine)
        signal.give()
      })
      return {
        more: (after) =>
          new Promise((resolve) => {
            mine = { organizationId, after, isLookedFor: false, resolve }
            if (over.aborted) return resolve()
            waiting.add(mine)
            // What came since the follower read is behind a look that did not concern it.
            signal.give()
          }),
      }
    },
    /** To be called after each publication of this process, also one that failed: it may have held the feed back. */
    published() {
      if (followers > 0) signal.give()
      announcements.announce()
    },
  }
}

function lowestPositions(waiting: Waiting[]): Map<string, number> {
  const positions = new Map<string, number>()
  for (const { organizationId, after } of waiting)
    positions.set(organizationId, Math.min(after, positions.get(organizationId) ?? after))
  return positions
}
