import type { Queries } from '../../ground/database/database.ts'
import { readHeldRows } from './vacuum-store.ts'

/** `oldestSnapshotSeconds`: 0 where there is none. `deadRows`: by table. */
export type VacuumFigures = { oldestSnapshotSeconds: number; deadRows: Record<string, number> }

/** What PostgreSQL tells no age of counts from the reading that saw it first. */
export function createVacuumReading(queries: Queries, now = () => performance.now()) {
  let undated: { xmin: string; since: number } | undefined
  return async (): Promise<VacuumFigures> => {
    const { seconds, undatedXmin, deadRows } = await readHeldRows(queries)
    if (undatedXmin === null) undated = undefined
    else if (undated?.xmin !== undatedXmin) undated = { xmin: undatedXmin, since: now() }
    const undatedSeconds = undated ? (now() - undated.since) / 1_000 : 0
    return { oldestSnapshotSeconds: Math.max(seconds, undatedSeconds), deadRows }
  }
}
