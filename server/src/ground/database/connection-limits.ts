/** How many connections the server, the database and the role allow to the processes of this installation together. */
import type { Queries } from './ask.ts'
import { sql } from './sql.ts'

/** Any fixed pair of numbers. */
const processLock = [730_021_411, 4] as const

/**
 * Each process holds this lock, shared, on the session of its reads: so others can count the processes that live, without a row that
 * outlives one that was killed.
 */
export const holdProcessLock = `select pg_advisory_lock_shared(${processLock.join(', ')})`

export type ConnectionLimits = {
  /** Under the tightest limit, without the connections that others have. */
  available: number
  /** The tightest limit, in words. */
  limit: string
  /** Connections that others have under that limit. */
  others: number
  /** Of this role to this database, as the processes make them. */
  used: number
  /** That hold the lock. */
  processes: number
}

type Row = {
  role: string
  database: string
  server: number
  role_limit: number | null
  database_limit: number | null
  total: number
  of_role: number
  of_database: number
  used: number
  processes: number
}

/** A superuser is held by `max_connections` alone. Reserved connections came with PostgreSQL 16. */
export async function readConnectionLimits(queries: Queries): Promise<ConnectionLimits> {
  const [row] = await queries.rows(sql<Row>`
    with backends as (
      select a.usesysid = r.oid as of_role, a.datid = d.oid as of_database
        from pg_stat_activity a, pg_roles r, pg_database d
       where a.usesysid is not null and a.datid is not null
         and r.rolname = session_user and d.datname = current_database()
    )
    select r.rolname as role, d.datname as database,
           current_setting('max_connections')::int - case when r.rolsuper then 0 else
             current_setting('superuser_reserved_connections')::int + case when exists (
               select from pg_roles p where p.rolname = 'pg_use_reserved_connections' and pg_has_role(r.oid, p.oid, 'usage')
             ) then 0 else coalesce(current_setting('reserved_connections', true)::int, 0) end
           end as server,
           case when not r.rolsuper and r.rolconnlimit >= 0 then r.rolconnlimit end as role_limit,
           case when not r.rolsuper and d.datconnlimit >= 0 then d.datconnlimit end as database_limit,
           b.total::int, b.of_role::int, b.of_database::int, b.used::int,
           (select count(distinct pid)::int from pg_locks
             where locktype = 'advisory' and database = d.oid and classid = ${processLock[0]} and objid = ${processLock[1]}
               and objsubid = 2 and granted) as processes
      from pg_roles r, pg_database d,
           (select count(*) as total, count(*) filter (where of_role) as of_role,
                   count(*) filter (where of_database) as of_database,
                   count(*) filter (where of_role and of_database) as used from backends) b
     where r.rolname = session_user and d.datname = current_database()`)
  return tightest(row as Row)
}

function tightest(row: Row): ConnectionLimits {
  const { role, database, server, role_limit, database_limit, total, of_role, of_database, used, processes } = row
  const limits = [
    { number: server, counted: total, name: 'max_connections less what is reserved' },
    { number: role_limit, counted: of_role, name: `the connection limit of the role ${role}` },
    { number: database_limit, counted: of_database, name: `the connection limit of the database ${database}` },
  ].flatMap(({ number, counted, name }) => {
    if (number === null) return []
    const others = counted - used
    return [{ available: Math.max(0, number - others), limit: `${name} is ${number}`, others }]
  })
  const least = limits.reduce((one, other) => (other.available < one.available ? other : one))
  return { ...least, used, processes }
}
