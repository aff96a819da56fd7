import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { inject } from 'vitest'

/** `url` leads to the same database, for DATABASE_URL. */
export type Connection = pg.ClientConfig & { host: string; port: number; database: string; url: string }

/** Runs one statement on the server, outside any database of a test. */
export async function administer(server: pg.ClientConfig, text: string) {
  const client = new pg.Client(server)
  client.on('error', () => {})
  await client.connect()
  return client.query(text).finally(() => client.end())
}

/** Names of one run begin alike: its leftovers are found by that, on a server that goes on. */
export const makeName = (run: string) => `${run}_${randomBytes(6).toString('hex')}`

/** Empty, as a Signet that has never started finds it. */
export const emptyDatabase = () => copyOf('template0', `encoding 'UTF8'`)

/** A migrated database of the test's own. */
export const testDatabase = () => copyOf(inject('template'))

async function copyOf(template: string, options = ''): Promise<Connection & { drop(): Promise<void> }> {
  const server = inject('postgres')
  const name = makeName(inject('run'))
  await administer(server, `create database ${name} template ${template} ${options}`)
  const drop = () => dropDatabase(server, name)
  return { ...inDatabase(server, name), drop }
}

/** An autovacuum worker may be in it, which this role may not end: PostgreSQL refuses with 42501 until it has gone. */
async function dropDatabase(server: Connection, name: string, triesLeft = 50): Promise<void> {
  try {
    await administer(server, `drop database ${name} with (force)`)
  } catch (error) {
    if ((error as { code?: string }).code !== '42501' || triesLeft === 0) throw error
    await wait(200)
    await dropDatabase(server, name, triesLeft - 1)
  }
}

/** Another database of that server. */
export const inDatabase = (server: Connection, database: string): Connection => ({
  ...server,
  database,
  url: changed(server.url, (url) => {
    url.pathname = `/${database}`
  }),
})

/** The address of the same database by a port of this machine. */
export const throughPort = ({ url }: Connection, port: number): string =>
  changed(url, (through) => {
    for (const name of ['host', 'port']) through.searchParams.delete(name)
    through.hostname = '127.0.0.1'
    through.port = `${port}`
  })

function changed(address: string, change: (url: URL) => void): string {
  const url = new URL(address)
  change(url)
  return url.href
}

/** Where the server listens, for `net.connect`. */
export const endpointOf = ({ host, port }: Connection) =>
  host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
