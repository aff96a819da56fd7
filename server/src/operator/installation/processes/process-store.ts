import type { Queries } from '../../../ground/database/database.ts'
import { firstRow, numberIn } from '../../../ground/database/rows.ts'
import { fragment, sql } from '../../../ground/database/sql.ts'
import type { Page } from '../../../ground/http/chain/operation.ts'
import { paged } from '../../../ground/http/chain/paged.ts'

export type Role = 'api' | 'worker'

export type Process = {
  id: string
  host: string
  pid: number
  region: string
  version: string
  roles: Role[]
  started_at: Date
  seen_at: Date
  deliveries_in_flight: number
  event_streams: number
}

const columns = fragment`
  id, host, pid, region, version, roles, started_at, seen_at, deliveries_in_flight, event_streams`

/** Lost processes that one sign of life removes: one that crashes at each start leaves some thousand in an hour. */
const removedAtOnce = 1_000

/**
 * Lists this process, and removes those without a sign of life since `lostBefore`, in one statement. It comes to its own row first, and
 * leaves out rows that are locked: two processes that both were frozen for an hour wait for nothing of each other.
 */
export async function renewProcess(queries: Queries, process: Process, lostBefore: Date): Promise<void> {
  const { id, host, pid, region, version, roles, started_at, seen_at, deliveries_in_flight, event_streams } = process
  await queries.rows(sql`
    with lost as (
      select id from processes where seen_at < ${lostBefore} and id <> ${id} limit ${removedAtOnce} for update skip locked
    ), removed as (
      delete from processes where id in (select id from lost)
    )
    insert into processes (${columns})
    values (
      ${id}, ${host}, ${pid}, ${region}, ${version}, ${roles}, ${started_at}, ${seen_at}, ${deliveries_in_flight}, ${event_streams})
    on conflict (id) do update
      set seen_at = excluded.seen_at, deliveries_in_flight = excluded.deliveries_in_flight, event_streams = excluded.event_streams`)
}

/** Any with a sign of life in the last `lostAfterMs`. */
export const findAlive = (queries: Queries, lostAfterMs: number) =>
  firstRow(queries)(sql<Pick<Process, 'host' | 'pid'>>`
    select host, pid from processes where seen_at > now() - ${lostAfterMs}::float8 * interval '1 ms' limit 1`)

export const deleteProcess = (queries: Queries, id: string) => queries.rows(sql`delete from processes where id = ${id}`)

/** Those with a sign of life after `lostBefore`, the oldest first: an id begins with its time. */
export const pageOfProcesses = (queries: Queries, lostBefore: Date, { limit, offset }: Page) =>
  paged(
    queries.rows(sql<Process>`
      select ${columns} from processes where seen_at >= ${lostBefore} order by id limit ${limit} offset ${offset}`),
    numberIn(queries)(sql`select count(*) from processes where seen_at >= ${lostBefore}`),
  )
