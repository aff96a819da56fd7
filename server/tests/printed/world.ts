import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../../scripts/free-port.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { storeClientFiles } from '../../src/operator/installation/index.ts'
import { repository } from '../support/program.ts'
import { findStockPrograms, startStockPostgres } from '../support/stock-postgres.ts'
import { pathOfMachine } from './terminal.ts'

export type WorldName = 'embedded database' | 'own server'

/** A place to follow a page in. */
export type World = {
  clone: string
  /** The printed ports that are other ones here. */
  replaced: Record<string, string>
  /** Nothing of another page is left; gives the environment of the page's shell. */
  enter(): Promise<Record<string, string>>
  close(): Promise<void>
}

type Server = Awaited<ReturnType<typeof startServer>>

/** The committed repository, with nothing installed in it or above it. */
export function makeClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-printed-'))
  execFileSync('chmod', ['755', folder])
  const clone = join(folder, 'signet')
  execFileSync('git', ['clone', '--quiet', repository, clone])
  return clone
}

export async function openWorld(name: WorldName, clone: string): Promise<World> {
  const [port, second, receiver] = [await freePort(), await freePort(), await freePort()]
  const replaced = {
    8080: `${port}`,
    8090: `${second}`,
    'localhost:3000/hook': `localhost:${receiver}/hook`,
    // The shell's PORT is that of Signet.
    'npm run provider': 'env -u PORT npm run provider',
    'npm run application': 'env -u PORT npm run application',
  }
  const example = join(clone, 'signet.env.example')
  writeFileSync(example, readFileSync(example, 'utf8').replace(/^PORT=.*$/m, `PORT=${port}`))
  const server = await startServer()
  const places = join(clone, '..', 'places')
  const clean = () => {
    for (const path of [places, ...created(clone)]) rmSync(path, { recursive: true, force: true })
  }

  const enter = async () => {
    clean()
    mkdirSync(places, { recursive: true })
    const [EMPTY_DATABASE_URL, FIRST_DATABASE_URL] = [await server.newDatabase(), await server.newDatabase()]
    const shared = { PORT: `${port}`, TEMPORARY: places, CLONE: clone, EMPTY_DATABASE_URL, FIRST_DATABASE_URL }
    return name === 'embedded database' ? shared : { ...shared, ...(await initialized(clone, port, server)) }
  }
  return { clone, replaced, enter, close: server.stop }
}

/** What a page may have made in the clone: what git does not know, but for what was installed and built. */
function created(clone: string): string[] {
  const args = ['-C', clone, 'status', '--porcelain', '--ignored', '-z']
  const lines = execFileSync('git', args, { encoding: 'utf8' }).split('\0')
  const paths = lines.filter((line) => /^(\?\?|!!) /.test(line)).map((line) => line.slice(3))
  return paths.filter((path) => !/(^|\/)(node_modules|dist)\/$/.test(path)).map((path) => join(clone, path))
}

/** As the operator's settings have it: the first organization is there, and what `signet init` printed is in the files of a shell. */
async function initialized(clone: string, port: number, server: Server): Promise<Record<string, string>> {
  const settings = {
    DATABASE_URL: await server.newDatabase(),
    SIGNET_BASE_URL: `http://localhost:${port}`,
    SIGNET_MASTER_KEY: makeMasterKey(),
    SIGNET_OPERATOR_KEY: randomBytes(24).toString('hex'),
  }
  const env = { ...process.env, NODE_OPTIONS: '', PATH: pathOfMachine(), PORT: `${port}`, ...settings }
  // Installs where the readme has not been followed before: `npx signet` does not.
  execFileSync('npm', ['run', 'certificate'], { cwd: clone, env, stdio: 'pipe' })
  const said = execFileSync('npx', ['signet', 'init', '--name', 'Example', '--json'], {
    cwd: clone,
    env,
    encoding: 'utf8',
  })
  const made = JSON.parse(said.trim().split('\n').at(-1) as string)
  const client = { baseUrl: made.base_url, organizationId: made.organization_id, apiKey: made.api_key }
  storeClientFiles(join(clone, 'data'), client)
  // Beside no data folder the program finds neither address nor key.
  const { baseUrl: SIGNET_URL, organizationId: SIGNET_ORGANIZATION_ID, apiKey: SIGNET_API_KEY } = client
  return { ...settings, SIGNET_URL, SIGNET_ORGANIZATION_ID, SIGNET_API_KEY }
}

/** Debian's PostgreSQL 15, as an operator has it: a role that owns its databases and has `pg_monitor`. */
async function startServer() {
  const programs = findStockPrograms()
  if (!programs)
    throw new Error('PostgreSQL of Debian is missing: apt-get install --no-install-recommends postgresql-15')
  const folder = mkdtempSync(join(tmpdir(), 'signet-printed-server-'))
  execFileSync('chmod', ['711', folder])
  const { connection, stop } = await startStockPostgres(programs, join(folder, 'postgres'))
  const administer = async (statement: string) => {
    const client = new pg.Client(connection)
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await administer('create role installation login in role pg_monitor')
  let count = 0
  const newDatabase = async () => {
    const database = `signet_${++count}`
    await administer(`create database ${database} owner installation`)
    return `postgresql://installation@/${database}?host=${encodeURIComponent(connection.host)}`
  }
  return {
    newDatabase,
    stop: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
