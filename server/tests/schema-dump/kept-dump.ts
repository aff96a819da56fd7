import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const dumpPath = join(import.meta.dirname, '0.1.0.sql')
export const notesPath = join(import.meta.dirname, '0.1.0.json')

/** What a test needs to read the dump through the interface; the keys are for this dump alone. */
export type Notes = {
  baseUrl: string
  masterKey: string
  organization: { id: string; apiKey: string }
  personId: string
  webhookId: string
  /** Rows by table, partitions counted with their table. */
  rows: Record<string, number>
}

/** The statements of the dump, without what only `psql` understands. */
export const readDump = () => readFileSync(dumpPath, 'utf8').replaceAll(/^\\.*$/gm, '')
export const readNotes = (): Notes => JSON.parse(readFileSync(notesPath, 'utf8'))

/** For `Notes.rows`. */
export const countRows = `
  select c.relname as table,
         (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from public.%I', c.relname), false, true, '')))[1]::text::int
           as count
    from pg_class c join pg_namespace s on s.oid = c.relnamespace
   where s.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`
