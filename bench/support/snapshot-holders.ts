import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import pg from 'pg'
import { connectionOf } from '../../server/src/ground/database/connection.ts'
import type { BenchDatabase } from './postgres.ts'

/** Holds a snapshot, and what comes with it, until it is ended. `end` tells how it went. */
export type Holder = { title: string; hold(database: BenchDatabase): Promise<{ end(): Promise<string> }> }

/** What is taken of the output of pg_dump each second: of a database of some 40 MB it is not done within ten minutes. */
const takenBytes = 32_768
const takenEveryMs = 1_000

async function openSession({ url }: BenchDatabase) {
  const client = new pg.Client(connectionOf(url))
  await client.connect()
  // As pg_dump does.
  await client.query('set idle_in_transaction_session_timeout = 0')
  await client.query('begin isolation level repeatable read read only')
  return client
}

const ending = (client: pg.Client) => ({
  end: async () => {
    await client.query('commit')
    await client.end()
    return 'Its transaction was committed.'
  },
})

export const bareTransaction: Holder = {
  title: 'a bare transaction, repeatable read',
  hold: async (database) => {
    const client = await openSession(database)
    await client.query('select txid_current_snapshot()')
    return ending(client)
  },
}

/** Of the version of this server, or a newer one: an older one refuses it. */
function findPgDump(version: number): string | undefined {
  const programs = ['pg_dump', ...globSync('/usr/lib/postgresql/*/bin/pg_dump')]
  return programs.find((program) => versionOf(program) >= version)
}

function versionOf(program: string): number {
  try {
    return Number(/(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1])
  } catch {
    return 0
  }
}

/** The real one; without a program of this server's version, a session that does what it does: its snapshot and its locks. */
export async function chooseDump(database: BenchDatabase): Promise<Holder> {
  const [row] = await database.rows<{ version: number }>(
    `select current_setting('server_version_num')::int / 10000 as version`,
  )
  const program = findPgDump(row?.version ?? 0)
  return program ? slowDump(program) : likeDump
}

const slowDump = (program: string): Holder => ({
  title: `${program}, of whose output ${takenBytes / 1_024} KB a second are taken`,
  hold: async ({ url }) => {
    const dump = spawn(program, ['--dbname', url], { stdio: ['ignore', 'pipe', 'inherit'] })
    let bytes = 0
    const take = (most?: number) => {
      const chunk: Buffer | null = dump.stdout.read(
        most === undefined ? undefined : Math.min(most, dump.stdout.readableLength),
      )
      bytes += chunk?.length ?? 0
    }
    // Not read as it comes.
    dump.stdout.on('readable', () => {})
    const timer = setInterval(() => take(takenBytes), takenEveryMs)
    const ended = once(dump, 'close').then(([code]) => code as number)
    return {
      end: async () => {
        const isDone = dump.exitCode !== null
        clearInterval(timer)
        dump.stdout.on('readable', () => take())
        take()
        const code = await ended
        return `${isDone ? 'It had ended BEFORE its time' : 'It still ran at the end of its time'}; exit code ${code}, ${(bytes / 1e6).toFixed(1)} MB.`
      },
    }
  },
})

const likeDump: Holder = {
  title: 'a session like pg_dump (no pg_dump of this version is here): repeatable read, ACCESS SHARE on each table',
  hold: async (database) => {
    const client = await openSession(database)
    const { rows } = await client.query<{ names: string }>(
      `select string_agg(oid::regclass::text, ', ') as names from pg_class
        where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
    )
    await client.query(`lock table ${rows[0]?.names} in access share mode`)
    return ending(client)
  },
}
