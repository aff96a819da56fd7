import type { Queries } from './ask.ts'
import { sql } from './sql.ts'

export type Table = {
  name: string
  /** Those that a row is written with: none that is generated. */
  columns: string[]
}

/**
 * The tables of the schema, each after those that its foreign keys name, in the order of their names otherwise. A partitioned
 * table stands for its partitions. Without `schema_migrations`, which says what a database is, not what it holds.
 */
export const listTables = (queries: Queries): Promise<Table[]> =>
  queries.rows(sql<Table>`
    with recursive tables as (
      select oid, relname from pg_class
       where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
         and relname <> 'schema_migrations'
    ), placed as (
      select oid, 0 as place from tables
      union
      select f.conrelid, p.place + 1 from placed p join pg_constraint f on f.confrelid = p.oid
       where f.contype = 'f' and f.conparentid = 0 and f.conrelid <> f.confrelid
    )
    select t.relname::text as name,
           array(select a.attname::text from pg_attribute a
                  where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns
      from tables t order by (select max(place) from placed p where p.oid = t.oid), t.relname`)
