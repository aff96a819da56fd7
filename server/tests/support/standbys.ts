import {
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { Binaries } from '../../src/ground/database/embedded/binaries.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/ground/database/embedded/index.ts'

/** For what PostgreSQL does by itself: confirming a pause, beginning to stream. */
const patienceMs = 30_000
/** What a copy of a running server must not have, and what is made anew. */
const notCopied = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*)$/
const emptied = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)$/

/** A PostgreSQL of its own, in its own folder. */
export type Server = {
  folder: string
  connection: EmbeddedPostgres['connection']
  query<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]>
  stop(): Promise<void>
  /** By SIGKILL, and it stays away. */
  kill(): Promise<void>
  /** Again, after it was stopped; `settings` are over its own. */
  start(settings?: Settings): Promise<void>
}

export type Standby = Server & {
  /** It receives what comes, and shows nothing of it. */
  pause(): Promise<void>
  resume(): Promise<void>
}

export type Replication = {
  /** Leads to the primary, at first; for `host` of a connection. */
  host: string
  primary: Server
  /** A hot standby of the primary or of a later one, streaming. `name` is that of its slot and its folder. */
  addStandby(region: string, name?: string, of?: Server): Promise<Standby>
  /** From now on `host` leads to this one. */
  lead(server: Server): void
  stop(): Promise<void>
}

/** The role that Signet has there, as its documentation says. */
export async function addRole({ query }: Server) {
  for (const text of ['create role app login', 'grant pg_monitor to app', 'alter database signet owner to app'])
    await query(text)
}

/** As that role, by way of whichever server is led to. */
export const databaseUrlOf = ({ host }: Replication) =>
  `postgresql:///signet?host=${encodeURIComponent(host)}&port=5432&user=app`

type Settings = Record<string, string>

/** A primary with streaming replication, made of the embedded programs or of those given. All of it is kept in `folder`. */
export async function startReplication(
  folder: string,
  settings: Settings = {},
  programs?: Binaries,
): Promise<Replication> {
  const host = join(folder, 'way')
  const servers: Promise<Server>[] = []
  let isStopped = false
  /** What is still being started can be stopped, too. */
  const keep = <One extends Server>(start: () => Promise<One>) => {
    if (isStopped) throw new Error('it is stopped already')
    const starting = start()
    servers.push(starting)
    return starting
  }
  const lead = ({ connection }: Server) => {
    symlinkSync(connection.host, `${host}.new`)
    renameSync(`${host}.new`, host)
  }
  const primary = await keep(() => openServer(join(folder, 'primary'), settings, programs))
  lead(primary)

  const addStandby = async (region: string, name: string, of: Server) => {
    await copyServer(of, join(of.folder, 'data'), join(folder, name), name)
    const conninfo = `host=${host} port=5432 user=${of.connection.user} application_name=${region}`
    const own = { primary_conninfo: conninfo, primary_slot_name: name, ...soonAgain }
    const standby = asStandby(await openServer(join(folder, name), { ...settings, ...own }, programs))
    await until(async () => (await of.query(streaming, name)).length > 0)
    return standby
  }

  return {
    host,
    primary,
    addStandby: async (region, name = region, of = primary) => keep(() => addStandby(region, name, of)),
    lead,
    stop: async () => {
      isStopped = true
      const started = await Promise.allSettled(servers)
      await Promise.all(started.map((one) => one.status === 'fulfilled' && one.value.stop()))
    },
  }
}

const streaming = `select from pg_replication_slots s join pg_stat_replication r on r.pid = s.active_pid
  where s.slot_name = $1 and r.state = 'streaming'`

/** A standby that lost its primary looks for it again after so long, instead of five seconds. */
const soonAgain = { wal_retrieve_retry_interval: '100ms' }

async function openServer(folder: string, settings: Settings, programs: Binaries | undefined): Promise<Server> {
  const start = (more?: Settings) =>
    startEmbeddedPostgres({ folder, settings: { ...settings, ...more }, programs, diesWithParent: true })
  let running = await start()
  return {
    folder,
    connection: running.connection,
    query: async <Row extends pg.QueryResultRow>(text: string, ...values: unknown[]) => {
      const client = new pg.Client(running.connection)
      client.on('error', () => {})
      await client.connect()
      return (await client.query<Row>(text, values).finally(() => client.end())).rows
    },
    stop: () => running.stop(),
    kill: async () => {
      process.kill(Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      // Else it would be started again.
      await running.stop()
    },
    start: async (more) => {
      running = await start(more)
    },
  }
}

const asStandby = (server: Server): Standby => ({
  ...server,
  pause: async () => {
    await server.query('select pg_wal_replay_pause()')
    await until(async () => {
      const [row] = await server.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state')
      return row?.state === 'paused'
    })
  },
  resume: async () => void (await server.query('select pg_wal_replay_resume()')),
})

/** A base backup into `folder`. The slot comes first: it keeps the log from then on. */
async function copyServer(primary: Server, data: string, folder: string, slot: string) {
  const client = new pg.Client(primary.connection)
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_create_physical_replication_slot($1, true)', [slot])
    await client.query('select pg_backup_start($1, fast => true)', [slot])
    const owner = statSync(data)
    mkdirSync(folder, { mode: 0o711 })
    copyFolder(data, join(folder, 'data'), owner)
    const { rows } = await client.query('select labelfile from pg_backup_stop(wait_for_archive => false)')
    for (const [name, text] of [
      ['backup_label', rows[0].labelfile],
      ['standby.signal', ''],
    ] as const) {
      const path = join(folder, 'data', name)
      writeFileSync(path, text, { mode: 0o600 })
      chownSync(path, owner.uid, owner.gid)
    }
  } finally {
    await client.end()
  }
}

function copyFolder(from: string, to: string, owner: Stats) {
  mkdirSync(to, { mode: 0o700 })
  chownSync(to, owner.uid, owner.gid)
  const entries = emptied.test(from.slice(from.lastIndexOf('/') + 1)) ? [] : readdirSync(from, { withFileTypes: true })
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target, owner)
    else if (entry.isFile() && !notCopied.test(entry.name)) copyFile(source, target, owner)
  }
}

/** One that has vanished since is not missed: the log says so, too. */
function copyFile(source: string, target: string, { uid, gid }: Stats) {
  try {
    copyFileSync(source, target)
    chownSync(target, uid, gid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function until(holds: () => Promise<boolean>) {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not so after ${patienceMs / 1_000} s`)
    await wait(10)
  }
}
