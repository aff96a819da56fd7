import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { makeAuthority } from '../../../../scripts/certificates.ts'
import { renewableConnection } from '../../../src/ground/database/connection.ts'
import { type Database, openDatabase } from '../../../src/ground/database/database.ts'
import { createPrimary } from '../../../src/ground/database/primary.ts'
import { numberIn } from '../../../src/ground/database/rows.ts'
import { sql } from '../../../src/ground/database/sql.ts'
import { startSignet } from '../../support/signet.ts'
import { openFolder } from './support/folder.ts'
import { startLoad } from './support/load.ts'
import { patience } from './support/patience.ts'
import { password, type Server, startServer } from './support/postgresql.ts'

const minuteMs = 60_000
/** A connection lives for ten minutes, a tenth more or less. */
const lifetimeMs = 11 * minuteMs

test('A password is changed on the server and then in its file while requests come: none fails, and the process stays ready', async () => {
  const { server, folder } = await setScene()
  const file = join(folder, 'database-url')
  writeFileSync(file, addressWith(server, password))
  const env = { DATABASE_URL_FILE: file, SIGNET_BASE_URL: 'http://signet.localhost' }
  const signet = await startSignet({ databaseUrl: '', env })
  onTestFinished(() => signet.kill())
  const organization = await signet.organization()
  const statuses = new Set<number>()
  const probing = repeat(async () => statuses.add((await signet.call('GET', '/readyz')).status))
  const load = startLoad(signet.baseUrl, organization)
  for (const next of ['second', 'third']) {
    await server.query(`alter role signet password '${next}'`)
    await expect
      .poll(async () => (await signet.call('GET', '/readyz')).body.notes, { timeout: 90_000 })
      .toEqual(['no further connection to the database: refused 28P01'])
    replace(file, addressWith(server, next))
    await expect.poll(async () => (await signet.call('GET', '/readyz')).body.notes, patience).toBeUndefined()
  }
  const answered = await load.stop()
  await probing.stop()
  expect(answered).toBeGreaterThan(100)
  expect(load.failures).toEqual([])
  expect([...statuses]).toEqual([200])
  expect(signet.output()).not.toMatch(/second|third/)
})

test('Connections that are old are replaced by the password that the file has then, and where it has none that is valid, go on being used', async () => {
  const { server, folder } = await setScene()
  const file = join(folder, 'database-url')
  writeFileSync(file, addressWith(server, password))
  let now = 0
  const database = openOn(addressWith(server, password), file, () => now)
  const first = await pids(database)

  now += lifetimeMs
  await server.query("alter role signet password 'token-2'")
  expect(await pids(database)).toEqual(first)

  now += lifetimeMs
  replace(file, addressWith(server, 'token-2'))
  await expect.poll(async () => (await pids(database)).filter((pid) => first.includes(pid)), patience).toEqual([])

  // Tokens that are valid for fifteen minutes, each for the connections of its time.
  for (let token = 3; token < 7; token++) {
    const before = await pids(database)
    await server.query(`alter role signet password 'token-${token}'`)
    replace(file, addressWith(server, `token-${token}`))
    now += 15 * minuteMs
    await expect.poll(async () => (await pids(database)).filter((pid) => before.includes(pid)), patience).toEqual([])
  }
})

test('A file that became wrong leaves what was read before in use, and is told in one line without a secret', async () => {
  const { server, folder } = await setScene()
  const file = join(folder, 'database-url')
  writeFileSync(file, addressWith(server, password))
  let now = 0
  const problems: string[] = []
  const database = openOn(addressWith(server, password), file, () => now, problems)
  let before = await pids(database)
  const replaced = async () => {
    now += lifetimeMs
    await expect.poll(async () => (await pids(database)).filter((pid) => before.includes(pid)), patience).toEqual([])
    before = await pids(database)
  }
  for (const text of ['', 'postgresql://signet:p@ss@db', addressWith(server, password).replace(/signet$/, 'other')]) {
    replace(file, text)
    await replaced()
  }
  expect(problems).toEqual([
    expect.stringMatching(/^DATABASE_URL: must be a postgresql:\/\/ address/),
    expect.stringMatching(/^DATABASE_URL: .*percent-encoded/),
    'DATABASE_URL: names another server, database or sslmode, which takes a restart',
  ])
  replace(file, addressWith(server, password))
  await replaced()
  expect(problems).toHaveLength(3)
})

test('A passfile and the certificate of the authority are read again at each new connection', async () => {
  const { server, folder } = await setScene()
  const [passfile, root] = [join(folder, 'passfile'), join(folder, 'root.crt')]
  const certify = async () => {
    const authority = makeAuthority()
    await server.certify(authority.issue(['localhost']))
    replace(root, authority.certificate)
  }
  await certify()
  replace(passfile, `localhost:*:signet:signet:${password}\n`)
  const address = `postgresql://signet@localhost:${server.port}/signet?sslmode=verify-full&sslrootcert=${root}&passfile=${passfile}`
  let now = 0
  const database = openOn(address, undefined, () => now)
  const before = await pids(database)
  await certify()
  await server.query("alter role signet password 'second'")
  replace(passfile, `# rotated\nlocalhost:*:signet:signet:second\n`)
  now += lifetimeMs
  await expect.poll(async () => (await pids(database)).filter((pid) => before.includes(pid)), patience).toEqual([])
  const isEncrypted = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
  expect(await database.read.rows(isEncrypted)).toEqual([{ ssl: true }])
})

async function setScene() {
  const life = new AsyncDisposableStack()
  onTestFinished(() => life.disposeAsync())
  const folder = openFolder(life)
  const server = await startServer(life, join(folder, 'data'))
  await server.requirePassword()
  return { server, folder }
}

const addressWith = ({ port }: Server, secret: string) => `postgresql://signet:${secret}@127.0.0.1:${port}/signet`

/** As secrets are mounted: no reader finds half of it. */
function replace(path: string, text: string) {
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

function openOn(address: string, file: string | undefined, now: () => number, problems: string[] = []): Database {
  const connection = renewableConnection(address, file)
  const primary = createPrimary(connection, { now, onProblem: (problem) => problems.push(problem) })
  const database = openDatabase(connection, 3, { primary })
  onTestFinished(() => database.close())
  return database
}

/** Of the server's processes behind the connection of reads, and behind those of three transactions at once. */
async function pids(database: Database): Promise<number[]> {
  const own = sql<{ pid: number }>`select pg_backend_pid() as pid`
  const slow = sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`
  const writes = Array.from({ length: 3 }, () => numberIn(database.write)(slow))
  return (await Promise.all([numberIn(database.read)(own), ...writes])).sort((one, other) => one - other)
}

function repeat(work: () => Promise<unknown>) {
  let isStopping = false
  const run = async () => {
    while (!isStopping) {
      await work()
      await wait(100)
    }
  }
  const running = run()
  return {
    stop: async () => {
      isStopping = true
      await running
    },
  }
}
