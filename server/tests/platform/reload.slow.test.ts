import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { testDatabase } from '../support/database.ts'
import { type Life, type Program, run, temporaryFolder } from '../support/program.ts'
import { createClient } from '../support/signet.ts'

/** Everything here starts programs, which takes its time on a busy machine. */
vi.setConfig({ testTimeout: 60_000 })

const operatorKeys = ['operator-key-for-tests-0123456789', 'another-operator-key-0123456789ab'] as const
const [first, second] = [makeMasterKey(), makeMasterKey()]
const main = [process.execPath, 'server/src/main.ts']

describe('SIGHUP', () => {
  test('It has the service read its files again: secrets, tiers and the log level, and says so in one line', async (context) => {
    const { signet, client, write, reload } = await startWithFiles(context, main)
    expect(await reload()).toBe('Reloaded: nothing has changed')
    expect((await client(operatorKeys[1]).operate('GET', '/organizations')).status).toBe(401)
    const organization = await client(operatorKeys[0]).organization()
    const secrets = () => client(operatorKeys[0]).as(organization, 'POST', '/organizations/applications', confidential)
    const before = await secrets()
    expect(before.status).toBe(201)

    write({
      operator: operatorKeys[1],
      master: `${second},${first}`,
      tiers: '{"gold":{"max_groups":1}}',
      level: 'info',
    })
    expect(await reload()).toBe('Reloaded: SIGNET_OPERATOR_KEY, SIGNET_MASTER_KEY, SIGNET_TIERS, SIGNET_LOG_LEVEL')
    const next = client(operatorKeys[1])
    expect((await client(operatorKeys[0]).operate('GET', '/organizations')).status).toBe(401)
    const gold = await next.organization({ pricing_tier: 'gold' })
    expect((await next.as(gold, 'POST', '/groups', { name: 'one' })).status).toBe(201)
    expect((await next.as(gold, 'POST', '/groups', { name: 'two' })).status).toBe(402)
    const unknown = await next.operate('POST', '/organizations', { name: 'x', pricing_tier: 'golf' })
    expect(unknown.body.errors[0].message).toMatch(
      /^pricing_tier: must be one of unlimited, free, gold; did you mean gold\?$/,
    )
    expect((await secrets()).status).toBe(201)
    expect(signet.output().split('Reloaded: SIGNET_OPERATOR_KEY')).toHaveLength(2)
  })

  test('A file that became wrong is told in the same line, and leaves the former value in use', async (context) => {
    const { client, write, remove, reload } = await startWithFiles(context, main)
    write({ operator: 'short', master: second, tiers: '{"free":{"max_persons":"many"}}', level: 'loud' })
    expect(await reload()).toBe(
      'Reloaded: nothing has changed' +
        '; SIGNET_OPERATOR_KEY: must be at least 24 visible ASCII characters, so the former value stays' +
        '; SIGNET_MASTER_KEY: none of its keys fits this database, whose secrets could not be read, so the former value stays' +
        '; SIGNET_TIERS: free.max_persons: must be an integer of 0 or more, so the former value stays' +
        '; SIGNET_LOG_LEVEL: must be fatal, error, warn, info, debug or silent, so the former value stays',
    )
    remove('operator')
    write({ master: first, tiers: '{"free":{"max_persons":0}}', level: 'warn' })
    expect(await reload()).toBe(
      'Reloaded: SIGNET_TIERS; SIGNET_OPERATOR_KEY_FILE: cannot be read (ENOENT), so the former value stays',
    )
    const free = await client(operatorKeys[0]).organization({ pricing_tier: 'free' })
    expect((await client(operatorKeys[0]).as(free, 'POST', '/persons', {})).status).toBe(402)
  })

  test('The address of another database is told to take a restart, and a new password does not', async (context) => {
    const { databaseUrl, write, reload } = await startWithFiles(context, main)
    write({ database: databaseUrl.replace(/(?<=\w)_[0-9a-f]{12}/, '_elsewhere') })
    expect(await reload()).toBe(
      'Reloaded: nothing has changed' +
        '; DATABASE_URL: names another server, database or sslmode, which takes a restart, so the former value stays',
    )
    write({ database: `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}connect_timeout=3` })
    expect(await reload()).toBe('Reloaded: DATABASE_URL')
  })

  test.for([
    ['signet start', [process.execPath, 'server/src/signet.mjs', 'start']],
    ['npm start', ['npm', 'start']],
  ] as const)('%s reads its files again as well, and ends by SIGTERM afterwards', async ([, command], context) => {
    const { signet, write, reload } = await startWithFiles(context, [...command])
    write({ tiers: '{"gold":{}}' })
    expect(await reload()).toBe('Reloaded: SIGNET_TIERS')
    process.kill(pidOf(signet), 'SIGTERM')
    expect(await signet.ended).toBe(0)
  })

  test('Where the standard input is a terminal, it stops as Ctrl-C does', async (context) => {
    const env = await environmentOf(context)
    const quoted = main.map((word) => `'${word}'`).join(' ')
    const signet = run(context, ['script', '-qefc', `exec ${quoted}`, '/dev/null'], env.settings)
    await signet.says(/Ready\. Stop with Ctrl-C\./)
    process.kill(pidOf(signet), 'SIGHUP')
    expect(await signet.ended).toBe(0)
    expect(signet.output()).toContain('Stopping…')
  })
})

const confidential = { name: 'x', redirect_uris: ['https://app.example.com/'], confidential: true }
type Files = Partial<Record<'operator' | 'master' | 'tiers' | 'level' | 'database', string>>

async function environmentOf(life: Life) {
  const database = await testDatabase()
  life.onTestFinished(() => database.drop())
  const folder = temporaryFolder(life)
  const path = (name: string) => join(folder, name)
  const write = (files: Files) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text)
  }
  write({ operator: operatorKeys[0], master: first, tiers: '{}', level: 'warn', database: database.url })
  const port = await freePort()
  const settings = {
    PORT: `${port}`,
    DATABASE_URL_FILE: path('database'),
    SIGNET_BASE_URL: `http://localhost:${port}`,
    SIGNET_OPERATOR_KEY_FILE: path('operator'),
    SIGNET_MASTER_KEY_FILE: path('master'),
    SIGNET_TIERS: path('tiers'),
    SIGNET_LOG_LEVEL_FILE: path('level'),
  }
  return { settings, databaseUrl: database.url, write, remove: (name: keyof Files) => rmSync(path(name)) }
}

async function startWithFiles(life: Life, command: string[]) {
  const { settings, ...files } = await environmentOf(life)
  const signet = run(life, command, settings)
  await signet.says(/^Ready\. Stop with Ctrl-C\.$/m)
  const lines = () =>
    signet
      .output()
      .split('\n')
      .filter((line) => line.startsWith('Reloaded: '))
  const reload = async () => {
    const before = lines().length
    process.kill(pidOf(signet), 'SIGHUP')
    await expect.poll(() => lines().length).toBe(before + 1)
    return lines().at(-1)
  }
  return {
    signet,
    reload,
    client: (operatorKey: string) => createClient(settings.SIGNET_BASE_URL, operatorKey),
    ...files,
  }
}

/** Of the service itself, which other programs may have started. */
function pidOf({ pid }: Program): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean)
  const found = [pid, ...children.map(Number)].find((each) =>
    readFileSync(`/proc/${each}/cmdline`, 'utf8')
      .split('\0')
      .some((word) => word.endsWith('server/src/main.ts')),
  )
  return found ?? pidOf({ pid: Number(children[0]) } as Program)
}
