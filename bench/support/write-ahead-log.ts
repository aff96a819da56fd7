import type { BenchDatabase, Postgres } from './postgres.ts'

/** A record of PostgreSQL's log. */
export type LogRecord = {
  xid: string
  /** The resource manager and the type, as `Heap INSERT`. */
  kind: string
  /** The table or index of its first page, a partition's under the name of its parent; `–` where it has none here. */
  relation: string
  /** With its share of alignment and of page headers. */
  bytes: number
  fullPageBytes: number
  /** Of a commit: wall-clock time, in milliseconds. */
  committedAt: number | null
}

export type StatementCost = { text: string; calls: number; records: number; bytes: number; ms: number; pages: number }

export type Instruments = {
  position(): Promise<string>
  /** What was written between two positions, by everybody on this server. */
  records(from: string, until: string): Promise<LogRecord[]>
  /** Counts so far. Those of a session that is idle arrive within 10 s. */
  counts(): Promise<{ commits: number; flushes: number }>
  forgetStatements(): Promise<void>
  /** Those of the measured database, since they were forgotten; undefined where the server does not count them. */
  statements(): Promise<StatementCost[] | undefined>
}

/** Beside the measured database, in one of their own: the functions come with extensions. */
export async function openInstruments(postgres: Postgres, measured: BenchDatabase): Promise<Instruments> {
  const own = await postgres.create('instruments')
  await own.run('create extension pg_walinspect')
  const [server] = await own.rows<{ version: number; counts_statements: boolean }>(
    `select current_setting('server_version_num')::int as version,
            current_setting('shared_preload_libraries') ~ 'pg_stat_statements' as counts_statements`,
  )
  const countsStatements = server?.counts_statements === true
  if (countsStatements) await own.run('create extension pg_stat_statements')
  const [{ name } = { name: '' }] = await measured.rows<{ name: string }>('select current_database() as name')
  const one = async <Row>(text: string) => (await own.rows<Row>(text))[0] as Row
  return {
    position: async () => (await one<{ at: string }>('select pg_current_wal_insert_lsn()::text as at')).at,
    records: async (from, until) => {
      const names = new Map(
        (await measured.rows<{ node: string; name: string }>(relations)).map((it) => [it.node, it.name]),
      )
      const read = await own.rows<LogRecord & { node: string }>(recordsBetween(from, until))
      return read.map(({ node, ...record }) => ({ ...record, relation: names.get(node) ?? '–' }))
    },
    counts: () => one(countsOf(name, server?.version ?? 0)),
    forgetStatements: async () => {
      if (countsStatements) await own.run('select pg_stat_statements_reset()')
    },
    statements: async () => (countsStatements ? own.rows<StatementCost>(statementsOf(name)) : undefined),
  }
}

const relations = `
  select d.oid || '/' || pg_relation_filenode(c.oid) as node,
         coalesce((select inhparent::regclass::text from pg_inherits where inhrelid = c.oid and not inhdetachpending),
                  (select t.relname || ' (TOAST)' from pg_class t where t.reltoastrelid = c.oid), c.relname) as name
    from pg_class c, pg_database d
   where d.datname = current_database() and pg_relation_filenode(c.oid) is not null`

const recordsBetween = (from: string, until: string) => `
  select xid::text, resource_manager || ' ' || record_type as kind, (end_lsn - start_lsn)::int as bytes,
         fpi_length as "fullPageBytes", coalesce(substring(block_ref from 'rel \\d+/(\\d+/\\d+)'), '') as node,
         case when resource_manager = 'Transaction' and record_type = 'COMMIT'
              then extract(epoch from substring(description from '\\d{4}-\\d\\d-\\d\\d [\\d:.]+[+-]\\d\\d(?::\\d\\d)?')::timestamptz)::float8 * 1000 end as "committedAt"
    from pg_get_wal_records_info('${from}', '${until}')`

/** Since version 18 flushes are counted as I/O. */
const countsOf = (name: string, version: number) => `
  select xact_commit::float8 as commits,
         (${version >= 180_000 ? `select sum(fsyncs) from pg_stat_io where object = 'wal'` : 'select wal_sync from pg_stat_wal'})::float8 as flushes
    from pg_stat_database where datname = '${name}'`

const statementsOf = (name: string) => `
  select query as text, calls::float8, wal_records::float8 as records, wal_bytes::float8 as bytes,
         (total_exec_time)::float8 as ms, (shared_blks_hit + shared_blks_read)::float8 as pages
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
   where d.datname = '${name}' order by wal_bytes desc`
