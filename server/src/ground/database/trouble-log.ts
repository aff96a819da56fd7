import { troubleOf } from './postgres-error.ts'

/** Every request fails while the database is unavailable; the log gets one line per minute and kind of trouble. */
const intervalMs = 60_000

type Log = { error(fields: object, message: string): void }

/** Logs why the database is unavailable, with its own message, which clients never see. */
export function createTroubleLog(log: Log): (error: unknown) => void {
  const writtenAt = new Map<string, number>()
  return (error) => {
    const { code, sqlstate } = troubleOf(error)
    const kind = `${code} ${sqlstate}`
    if (performance.now() - (writtenAt.get(kind) ?? Number.NEGATIVE_INFINITY) < intervalMs) return
    writtenAt.set(kind, performance.now())
    log.error({ err: error, database: code, sqlstate }, 'the database is unavailable')
  }
}
