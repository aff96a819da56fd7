import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { linesOf, runCommand } from '../support/command-line.ts'
import { testDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/program.ts'

/** Each command is a process. */
vi.setConfig({ testTimeout: 60_000 })

const folder = () => temporaryFolder({ onTestFinished })

function fileWith(content: string): string {
  const path = join(folder(), 'address')
  writeFileSync(path, content)
  return path
}

test.each<[string, () => string[], string]>([
  ['no target', () => [], '--to: is required, the address of the target; or give a folder'],
  ['two targets', () => ['./copied', '--to', './target'], '--to: is given, and a folder too; name one target'],
  ['a file that is missing', () => ['--to', '/no/such/file'], '--to: /no/such/file cannot be read (ENOENT)'],
  ['an address in another form', () => ['--to', fileWith('mysql://tell-nobody@db')], '--to: must be a postgresql://'],
  ['a password', () => ['--to', 'postgresql://me:tell-nobody@127.0.0.1/db'], '--to: must have no password; put the'],
  ['a password as a parameter', () => ['--to', 'postgres://me@db/db?password=tell-nobody'], '--to: must have no pass'],
  [
    'an address of another scheme',
    () => ['--to', 'POSTGRESQL://me:tell-nobody@db/db'],
    '--to: must be a postgresql://',
  ],
  ['an address behind a blank', () => ['--to', ' postgres://me:tell-nobody@db/db'], '--to: must be a postgresql://'],
  ['pairs of names and values', () => ['--to', 'host=db password=tell-nobody'], '--to: must have no password; put the'],
  [
    'two addresses in a file',
    () => ['--to', fileWith('postgres://tell-nobody@a/b\npostgres://c/d')],
    '--to: in a user',
  ],
])('signet copy refuses %s in one line without a secret', async (_, argumentsOf, message) => {
  const { code, output } = await runCommand({ onTestFinished }, ['copy', ...argumentsOf()], {
    SIGNET_DATA_DIR: folder(),
  })
  expect(output).toContain(message)
  expect(output).not.toContain('tell-nobody')
  expect(code).toBe(2)
})

test('signet copy takes the address of its target from a file, or without a password as it is', async () => {
  await using life = new AsyncDisposableStack()
  const databases = await Promise.all([testDatabase(), testDatabase(), testDatabase()])
  life.defer(async () => void (await Promise.all(databases.map(({ drop }) => drop()))))
  const [source, first, second] = databases.map(({ url }) => url) as [string, string, string]
  const settings = {
    DATABASE_URL: source,
    SIGNET_MASTER_KEY: makeMasterKey(),
    SIGNET_BASE_URL: 'http://signet.localhost',
  }
  const run = async (...args: string[]) => {
    const { code, output } = await runCommand({ onTestFinished }, [...args, '--json'], settings)
    expect(code, output).toBe(0)
    return linesOf(output).at(-1)
  }
  await run('init')
  for (const target of [fileWith(`${first}\n`), second])
    expect(await run('copy', '--to', target)).toMatchObject({ type: 'copied', base_url: settings.SIGNET_BASE_URL })
})
