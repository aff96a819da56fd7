import type { Queries } from '../../ground/database/database.ts'
import { readHeldRows } from './vacuum-store.ts'

/** `oldestSnapshotSeconds`: 0 where there is none. `deadRows`: by table. */
export type VacuumFigures = { oldestSnapshotSeconds: number; deadRows: Record<string, number> }

/** What a standby holds counts from the reading that saw it first. */
export function createVacuumReading(queries: Queries, now = () => performance.now()) {
  let standby: { xmin: string; since: number } | undefined
  return async (): Promise<VacuumFigures> => {
    const { seconds, standbyXmin, deadRows } = await readHeldRows(queries)
    if (standbyXmin === null) standby = undefined
    else if (standby?.xmin !== standbyXmin) standby = { xmin: standbyXmin, since: now() }
    const standbySeconds = standby ? (now() - standby.since) / 1_000 : 0
    return { oldestSnapshotSeconds: Math.max(seconds, standbySeconds), deadRows }
  }
}
