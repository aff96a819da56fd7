import type { Connection } from '../../ground/database/connection.ts'
import { streamOf } from '../../ground/database/pg-private.ts'
import { createPrimary } from '../../ground/database/primary.ts'
import {
  lockChanges,
  nameSession,
  type Position,
  readBaseUrl,
  readFullSegment,
  readPosition,
  startBackup,
  stopBackup,
  waitInServer,
} from './backup-store.ts'

/**
 * How long the server keeps the locks of a backup after the process has ended: time for whoever waits for its end to notice it, also
 * on a busy machine.
 */
const noticedMs = 500

/** The session of a backup: PostgreSQL is in backup mode, and keeps its log, until this session ends, whatever ends it. */
export type BackupSession = {
  start(): ReturnType<typeof startBackup>
  stop(): ReturnType<typeof stopBackup>
  holdChanges(): Promise<void>
  position(): Promise<Position>
  fullSegment(): Promise<string>
  baseUrl(): Promise<string>
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
    endWithProcess: () => {
      const ends = waitInServer(client, noticedMs).then(() => client.end())
      ends.catch(() => {})
      streamOf(client).unref()
    },
    end: () => client.end(),
  }
}
