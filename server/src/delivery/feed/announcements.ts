/** Between the processes: that something was published. Only a hint: what it misses is found by the next look. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../ground/database/database.ts'
import type { Primary } from '../../ground/database/primary.ts'
import { createAnnouncer } from '../../ground/runtime/announcer.ts'
import { createBackoff } from '../../ground/runtime/backoff.ts'
import { announcePublication, listenToPublications } from './follower-store.ts'

/** Between two announcements of one process. */
const announceMs = 100
const reconnectDelay = { initialMs: 100, maxMs: 3_000 }
/** Between two looks whether the session has outlived its primary. */
const outdatedMs = 3_000
const settings = { statementTimeoutMs: 5_000 }

type Dependencies = {
  database: Database
  primary: Primary
  /** There is no other process. */
  isAlone: boolean
  /** Whether there is a connection for listening. */
  mayListen: () => boolean
  onError: (error: unknown) => void
}

export type Announcements = ReturnType<typeof createAnnouncements>

export function createAnnouncements({ database, primary, isAlone, mayListen, onError }: Dependencies) {
  let isStopped = false
  const announceOnce = async () => isStopped || announcePublication(database.write)
  const announce = createAnnouncer(announceOnce, { intervalMs: announceMs, onError })
  return {
    announce: isAlone ? () => {} : announce,
    /** Nothing more is announced: the connections to the database are about to be closed. */
    stop: () => {
      isStopped = true
    },
    /** Calls `onAnnounced` at each announcement, until it is stopped. */
    listen(onAnnounced: () => void) {
      const stopping = new AbortController()
      if (!isAlone) void keepListening({ primary, mayListen, onAnnounced }, stopping.signal)
      return { stop: () => stopping.abort() }
    },
  }
}

type Listening = Pick<Dependencies, 'primary' | 'mayListen'> & { onAnnounced: () => void }

async function keepListening(listening: Listening, stopping: AbortSignal) {
  const backoff = createBackoff(reconnectDelay)
  while (!stopping.aborted) {
    if (listening.mayListen()) await listenOnce(listening, stopping).then(backoff.reset, () => {})
    await sleep(backoff.next(), undefined, { signal: stopping, ref: false }).catch(() => {})
  }
}

/** Resolves when the session has ended, is outdated, or is no longer needed. */
async function listenOnce({ primary, mayListen, onAnnounced }: Listening, stopping: AbortSignal) {
  const session = await primary.connect({ settings, keepAlive: true })
  const ended = new AbortController()
  const end = () => ended.abort()
  session.on('error', end).on('end', end).on('notification', onAnnounced)
  const over = AbortSignal.any([stopping, ended.signal])
  try {
    await session.query(listenToPublications)
    // What was published before this session listened was announced to none.
    onAnnounced()
    while (!over.aborted && mayListen() && !primary.isOutdated(session))
      await sleep(outdatedMs, undefined, { signal: over, ref: false }).catch(() => {})
  } finally {
    session.end().catch(() => {})
  }
}
