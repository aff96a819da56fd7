import { troubleOf } from './postgres-error.ts'

/** Every request meets a database that is away; the log has so many lines of each kind of trouble as minutes. */
const everyMs = 60_000

type Log = { error(fields: object, message: string): void }

/** Writes why the database is of no use now, with its own message, which callers are not told. */
export function createTroubleLog(log: Log): (error: unknown) => void {
  const writtenAt = new Map<string, number>()
  return (error) => {
    const { code, sqlstate } = troubleOf(error)
    const kind = `${code} ${sqlstate}`
    if (performance.now() - (writtenAt.get(kind) ?? Number.NEGATIVE_INFINITY) < everyMs) return
    writtenAt.set(kind, performance.now())
    log.error({ err: error, database: code, sqlstate }, 'the database is unavailable')
  }
}
