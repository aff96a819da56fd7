import pg from 'pg'

/** Of every table a number and a hash of all its rows, as the catalogue has them: the product's own list is not asked. */
export async function contentsOf(connection: pg.ClientConfig): Promise<Record<string, string>> {
  const client = new pg.Client({ ...connection, options: '-c timezone=UTC' })
  await client.connect()
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations' order by relname`,
  )
  const contents: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await client.query(
      `select count(*) || ' ' || coalesce(md5(string_agg(to_jsonb(t)::text, '' order by to_jsonb(t)::text collate "C")), '')
         as found from ${client.escapeIdentifier(name)} t`,
    )
    contents[name] = rows[0].found
  }
  await client.end()
  return contents
}
