import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../../../scripts/free-port.ts'
import { writeConfiguration, writeShared } from './configuration.ts'
import { openFolder } from './folder.ts'
import { password, type Server } from './postgresql.ts'
import { commandFor, runProgram } from './run-program.ts'

export type Pgbouncer = {
  /** For Signet. */
  url: string
  /** A command of its administration console. */
  command(text: string): Promise<pg.QueryResultRow[]>
}

const administrator = 'signet-admin'

type How = {
  mode?: string
  /** Without the sizes and times of the file. */
  isStock?: boolean
}

/** By the file of the documentation; `mode` may be another one. */
export async function startPgbouncer(
  life: AsyncDisposableStack,
  server: Pick<Server, 'port'>,
  { mode = 'session', isStock = false }: How = {},
): Promise<Pgbouncer> {
  const folder = openFolder(life)
  const port = await freePort()
  const users = join(folder, 'userlist.txt')
  writeShared(users, `"signet" "${password}"\n"${administrator}" "${password}"\n`)
  const sizes = ['default_pool_size = 100', 'max_client_conn = 200', 'server_login_retry = 1']
  const file = writeConfiguration(folder, 'pgbouncer.ini', {
    'port=5432': `port=${server.port}`,
    'listen_port = 6432': `listen_port = ${port}\nunix_socket_dir =`,
    '/etc/pgbouncer/userlist.txt': users,
    'pool_mode = session': `pool_mode = ${mode}`,
    ...(isStock && Object.fromEntries(sizes.map((line) => [line, '']))),
  })
  const running = await runProgram(commandFor('pgbouncer', file), port)
  life.defer(() => running.stop())
  return {
    url: `postgresql://signet:${password}@127.0.0.1:${port}/signet`,
    command: (text) => commandAt(port, text),
  }
}

async function commandAt(port: number, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: administrator, password, database: 'pgbouncer' })
  client.on('error', () => {})
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}
