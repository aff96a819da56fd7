import pg from 'pg'
import type { Connection } from './database.ts'

/** Every row of every table as text; binary columns are in hexadecimal there. */
export async function everythingStored(connection: Connection): Promise<string> {
  const client = new pg.Client(connection)
  await client.connect()
  const tables = await client.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`)
  const dump: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    dump.push(...rows.map(({ row }) => row))
  }
  await client.end()
  return dump.join('\n')
}
