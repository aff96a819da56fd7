import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Watched } from '../programs/watched.ts'
import { monotonicMs } from './monotonic.ts'
import type { BenchDatabase, Postgres } from './postgres.ts'
import { cpuBusy, cpuWaited, cpuWithin, residentOf, runnable } from './processes.ts'

/** What was seen at the end of one second. */
export type Sample = {
  at: number
  /** Sessions of Signet's database that were not idle, and processes of PostgreSQL that did something: how many in each state. */
  waits: Record<string, number>
  runnable: number
  /** Shares of this second: in which something waited for a processor; that processes of others had of all processors. */
  pressure: number
  others: number
  logBytes: number
  dead: number
  resident: number
  /** The main thread's, and of all threads; 0 where it has told nothing in this second. */
  loopMs: number
  garbageMs: number
  /** NaN where it has told nothing. */
  heap: number
}

type Watch = { database: BenchDatabase; postgres: Postgres; pid: number; watchFile: string }

const everyMs = 1_000

/** A sample each second, until it is stopped. `since` gives those from then on. */
export function startSampler(watch: Watch, cleanup: AsyncDisposableStack) {
  const samples: Omit<Sample, 'loopMs' | 'garbageMs' | 'heap'>[] = []
  let isOver = false
  const run = async () => {
    let before = readCounters(watch.postgres)
    while (!isOver) {
      await sleep(everyMs - (monotonicMs() % everyMs))
      const [now, { waits, log, dead }] = [readCounters(watch.postgres), await askDatabase(watch.database)]
      const seconds = (now.at - before.at) / 1_000
      const ours = now.ours - before.ours
      samples.push({
        at: now.at,
        waits,
        runnable: runnable(),
        pressure: (now.waited - before.waited) / seconds,
        others: Math.max(0, now.busy - before.busy - ours) / seconds / availableParallelism(),
        logBytes: log,
        dead,
        resident: residentOf(watch.pid),
      })
      before = now
    }
  }
  const running = run()
  cleanup.defer(async () => {
    isOver = true
    await running
  })
  return {
    since: (from: number): Sample[] => {
      const told = readWatched(watch.watchFile).filter(({ at }) => at >= from - everyMs)
      return samples.filter(({ at }) => at >= from).map((one) => ({ ...one, ...toldBefore(told, one.at) }))
    },
  }
}

/** In the second before that time. */
function toldBefore(told: Watched[], until: number) {
  const its = told.filter(({ at }) => at > until - everyMs && at <= until)
  const main = its.filter(({ isMain }) => isMain)
  return {
    loopMs: Math.max(0, ...main.map(({ loopMs }) => loopMs)),
    garbageMs: its.reduce((sum, { garbageMs }) => sum + garbageMs, 0),
    heap: main.at(-1)?.heap ?? Number.NaN,
  }
}

function readWatched(file: string): Watched[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line))
}

/** Seconds since something began. `ours`: of this benchmark with all that it has started, and of PostgreSQL. */
const readCounters = (postgres: Postgres) => ({
  at: monotonicMs(),
  busy: cpuBusy(),
  waited: cpuWaited(),
  ours: cpuWithin(process.pid) + (postgres.isOurs ? 0 : postgres.cpu() || 0),
})

async function askDatabase(database: BenchDatabase) {
  const [row] = await database.rows<{ waits: Record<string, number> | null; log: number; dead: number }>(`
    select (select json_object_agg(kind, count) from (
              select case when backend_type = 'client backend' then coalesce(state, 'starting') else coalesce(backend_type, 'starting') end || ', ' ||
                     coalesce(wait_event_type || ':' || wait_event, 'running') as kind, count(*)
                from pg_stat_activity
               where pid <> pg_backend_pid() and coalesce(datname = current_database(), true)
                 and state is distinct from 'idle' and wait_event_type is distinct from 'Activity'
               group by 1) k) as waits,
           (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as log,
           (select sum(n_dead_tup)::float8 from pg_stat_user_tables) as dead`)
  return { waits: row?.waits ?? {}, log: row?.log ?? 0, dead: row?.dead ?? 0 }
}
