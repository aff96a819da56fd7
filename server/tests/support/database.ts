import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

export const templateName = 'signet_template'
export type Connection = { host: string; port: number; user: string; database: string }

/** Runs one statement on the server, outside any database of a test. */
export async function administer(server: Connection, text: string) {
  const client = new pg.Client({ ...server, database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  await client.query(text).finally(() => client.end())
}

export async function createDatabase(server: Connection, name: string, template: string): Promise<Connection> {
  await administer(server, `create database ${name} template ${template} strategy file_copy`)
  return { ...server, database: name }
}

/** A migrated database of the test's own. */
export async function testDatabase(): Promise<Connection & { url: string; drop(): Promise<void> }> {
  const server = inject('postgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  const connection = await createDatabase(server, name, templateName)
  const url = `postgresql:///${name}?host=${encodeURIComponent(server.host)}&port=${server.port}&user=${server.user}`
  return { ...connection, url, drop: () => administer(server, `drop database ${name} with (force)`) }
}
