import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Certified } from '../../../../../scripts/certificates.ts'
import { freePort } from '../../../../../scripts/free-port.ts'
import { commandFor, type Running, runProgram, unprivileged } from './run-program.ts'

/** A PostgreSQL of Debian that listens on the network of this machine. */
export type Server = {
  port: number
  /** By its superuser. */
  query<Row extends pg.QueryResultRow>(text: string, database?: string): Promise<Row[]>
  start(): Promise<void>
  /** In fast mode: every session is ended, and a standby that streams has everything. */
  stop(): Promise<void>
  /** A hot standby of this one, streaming from it. */
  addStandby(folder: string): Promise<Server>
  /** From now on it lets the role of Signet in by its password only. */
  requirePassword(method?: 'scram-sha-256' | 'password'): Promise<void>
  /** From now on it encrypts with this certificate. */
  certify(certified: Certified): Promise<void>
  /** After it was stopped: from its next start a standby of that one. */
  follow(primary: Server): void
}

const superuser = 'postgres'
export const password = 'change-me'

/** As docs/operate/own-postgresql.md says it. */
const documented = [
  `create role signet login password '${password}'`,
  'grant pg_monitor to signet',
  `create database signet owner signet encoding 'UTF8' template template0`,
]

/** Not kept on a disk in time: nobody cuts the power here. The rest is as Debian has it, `jit` among it. */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '200', wal_retrieve_retry_interval: '100ms' }
/** Also at further addresses of this machine. */
const listen = ['-c', 'listen_addresses=0.0.0.0']

/** Made in `folder`, which must not exist, with the role and the database of the documentation. */
export async function startServer(life: AsyncDisposableStack, folder: string): Promise<Server> {
  execute('initdb', '-D', folder, '-U', superuser, '-A', 'trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync')
  const server = await openServer(life, folder)
  for (const statement of documented) await server.query(statement, 'postgres')
  return server
}

async function openServer(life: AsyncDisposableStack, folder: string): Promise<Server> {
  const port = await freePort()
  let running: Running | undefined
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = commandFor('postgres', '-D', folder, '-p', `${port}`, '-k', folder, ...listen, ...options)
  const server: Server = {
    port,
    query: (text, database = 'signet') => queryAt({ port, database }, text),
    start: async () => {
      running = await runProgram(command, port)
      await untilAnswering(port)
    },
    stop: async () => running?.stop('SIGINT'),
    addStandby: async (standby) => {
      execute('pg_basebackup', '-h', '127.0.0.1', '-p', `${port}`, '-U', superuser, '-D', standby, '-R', '-c', 'fast')
      return openServer(life, standby)
    },
    requirePassword: async (method = 'scram-sha-256') => {
      const rules = [`host all ${superuser} all trust`, `host all signet all ${method}`]
      writeFileSync(join(folder, 'pg_hba.conf'), `${rules.join('\n')}\n`)
      await server.query('select pg_reload_conf()')
    },
    certify: async ({ certificate, privateKey }) => {
      for (const [name, text] of Object.entries({ 'server.crt': certificate, 'server.key': privateKey })) {
        const path = join(folder, name)
        writeFileSync(path, text, { mode: 0o600 })
        if (process.getuid?.() === 0) chownSync(path, unprivileged.uid, unprivileged.gid)
      }
      await server.query('alter system set ssl = on')
      await server.query('select pg_reload_conf()')
    },
    follow: (primary) => {
      const conninfo = `host=127.0.0.1 port=${primary.port} user=${superuser}`
      appendFileSync(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
      appendFileSync(join(folder, 'standby.signal'), '')
    },
  }
  await server.start()
  life.defer(server.stop)
  return server
}

function execute(...command: Parameters<typeof commandFor>) {
  const [program, args] = commandFor(...command)
  execFileSync(program, args, { cwd: '/', stdio: 'pipe', env: { PATH: process.env.PATH, LC_ALL: 'C' } })
}

async function untilAnswering(port: number) {
  for (let tries = 0; ; tries++) {
    const error = await queryAt({ port, database: 'postgres' }, 'select').then(
      () => undefined,
      (failed: Error) => failed,
    )
    if (!error) return
    if (tries === 200) throw error
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

type Place = { port: number; database: string }

async function queryAt<Row extends pg.QueryResultRow>(place: Place, text: string): Promise<Row[]> {
  const client = new pg.Client({ host: '127.0.0.1', user: superuser, ...place })
  client.on('error', () => {})
  await client.connect().catch(async (error) => {
    await client.end()
    throw error
  })
  return (await client.query<Row>(text).finally(() => client.end())).rows
}
