import type { Queries, Transaction } from '../../../ground/database/database.ts'
import { onlyRow, valuesIn } from '../../../ground/database/rows.ts'
import { sql } from '../../../ground/database/sql.ts'
import type { Table } from '../../../ground/database/table-order.ts'

/** Of all rows of a table, in whatever order they come. */
export type Content = { rows: number; hash: string }

export type Sequence = { name: string; value: number }

const listOf = (names: string[]) => names.map((name) => `"${name}"`).join(', ')

export async function readContent(queries: Queries, { name, columns }: Table): Promise<Content> {
  const text = `
    select count(*)::float8 as rows, coalesce(sum(hashtextextended(r::text, 0)), 0)::text as hash
      from (select ${listOf(columns)} from "${name}") r`
  const [content] = await queries.rows<Content>({ name: '', text, values: [] })
  return content as Content
}

/** By a query, because PostgreSQL before version 18 copies no partitioned table by its name. */
export const copyOut = ({ name, columns }: Table) => `copy (select ${listOf(columns)} from "${name}") to stdout`
export const copyIn = ({ name, columns }: Table) => `copy "${name}" (${listOf(columns)}) from stdin`

/** What a start leaves in a database in which there is no organization: its installation, processes, an epoch. */
export const emptyTables = (queries: Queries, tables: Table[]) =>
  queries.rows({ name: '', text: `truncate ${listOf(tables.map(({ name }) => name))}`, values: [] })

/** Statements that make the partitions where they are missing. */
export const listPartitions = (queries: Queries) =>
  valuesIn(queries)(sql<{ statement: string }>`
    select format('create table if not exists %I partition of %I %s', c.relname, p.relname, pg_get_expr(c.relpartbound, c.oid))
             as statement
      from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where p.relkind = 'p' and p.relnamespace = current_schema()::regnamespace order by c.relname`)

export const makePartition = (queries: Queries, statement: string) =>
  queries.rows({ name: '', text: statement, values: [] })

/** Those from which something was drawn. */
export const listSequences = (queries: Queries): Promise<Sequence[]> =>
  queries.rows(sql<Sequence>`
    select sequencename::text as name, last_value::float8 as value from pg_sequences
     where schemaname = current_schema() and last_value is not null`)

export const setSequence = (queries: Queries, { name, value }: Sequence) =>
  queries.rows(sql`select setval(format('%I', ${name}::text)::regclass, ${value}::bigint)`)

/** Waits for organizations that are being created, and lets none be created before the end of the transaction. */
export const lockOrganizations = (tx: Transaction) => tx.rows(sql`lock table organizations in access exclusive mode`)

export const hasOrganizations = async (queries: Queries): Promise<boolean> =>
  (await queries.rows(sql`select from organizations limit 1`)).length > 0

/** The time is that of the beginning of the transaction, which comes before its snapshot. */
export const readState = (queries: Queries) =>
  onlyRow(queries)(sql<{ base_url: string; now: Date }>`
    select base_url, now() from installation`)
