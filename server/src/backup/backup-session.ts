import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Connection } from '../database/connection.ts'
import { createPrimary } from '../database/primary.ts'
import {
  hasOtherBackups,
  lockChanges,
  nameSession,
  type Position,
  readBaseUrl,
  readFullSegment,
  readPosition,
  startBackup,
  stopBackup,
  unlockChanges,
  waitInServer,
} from './backup-store.ts'

/**
 * How long the server keeps the locks of a backup after the process has ended: time for whoever waits for its end to notice it, also
 * on a busy machine.
 */
const noticedMs = 250
/** How long a PostgreSQL that was started here is kept for another backup that is under way on it. */
const othersMs = 3_600_000
const lookEveryMs = 200

/** The session of a backup: PostgreSQL is in backup mode, and keeps its log, until this session ends, whatever ends it. */
export type BackupSession = {
  start(): ReturnType<typeof startBackup>
  stop(): ReturnType<typeof stopBackup>
  holdChanges(): Promise<void>
  position(): Promise<Position>
  fullSegment(): Promise<string>
  baseUrl(): Promise<string>
  /** Returns when no other backup is under way, after an hour, or when `signal` is aborted. */
  othersEnded(signal: AbortSignal): Promise<void>
  /**
   * Lets this process end now, and its session `noticedMs` later. The changes that wait for the session are acknowledged only then,
   * so each of them after the end of the command.
   */
  endWithProcess(): void
  end(): Promise<void>
}

export async function openSession(connection: Connection): Promise<BackupSession> {
  const client = await createPrimary(connection).connect({ settings: { statementTimeoutMs: 0 } })
  await nameSession(client)
  return {
    start: () => startBackup(client),
    stop: () => stopBackup(client),
    holdChanges: () => lockChanges(client),
    position: () => readPosition(client),
    fullSegment: () => readFullSegment(client),
    baseUrl: async () => {
      const baseUrl = await readBaseUrl(client)
      if (!baseUrl) throw new Error('database: Signet has not been started on it yet')
      return baseUrl
    },
    othersEnded: (signal) => othersEnded(client, signal),
    endWithProcess: () => {
      const ends = waitInServer(client, noticedMs).then(() => client.end())
      ends.catch(() => {})
      ;(client as unknown as WithStream).connection.stream.unref()
    },
    end: () => client.end(),
  }
}

type WithStream = { connection: { stream: { unref(): void } } }

async function othersEnded(client: pg.Client, signal: AbortSignal) {
  // Within a transaction it would go on seeing the sessions that there were at its first look.
  await unlockChanges(client)
  const until = performance.now() + othersMs
  while (performance.now() < until && !signal.aborted && (await hasOtherBackups(client))) await sleep(lookEveryMs)
}
