import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/ground/database/embedded/index.ts'
import { administer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/program.ts'
import { startSignet } from '../../support/signet.ts'

/** A start is over when there is no statement for this long. */
const quietMs = 3_000
/** With all that runs once a minute: what part of it falls into half a minute depends on how long a start took. */
const countedMs = 60_000
/** Of one process, when nothing happens, `begin` and `commit` counted. */
const most = 20

test('Each of two idle processes makes at most twenty statements in a minute', {
  timeout: 180_000,
}, async (context) => {
  const folder = join(temporaryFolder(context), 'postgres')
  const settings = { fsync: 'off', log_statement: 'all', log_line_prefix: '%d ' }
  const postgres = await startEmbeddedPostgres({ folder, settings, diesWithParent: true })
  context.onTestFinished(postgres.stop)
  const { host, port, user } = postgres.connection
  await administer(postgres.connection, 'create database idle')
  const databaseUrl = `postgresql:///idle?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
  const env = { SIGNET_BASE_URL: 'http://signet.localhost' }
  for (let count = 0; count < 2; count++) {
    const signet = await startSignet({ databaseUrl, env })
    context.onTestFinished(() => signet.kill())
  }
  const statements = () =>
    readFileSync(join(folder, 'postgres.log'), 'utf8')
      .split('\n')
      .filter((line) => /^idle LOG: +(?:statement|execute)/.test(line))
  for (let seen = -1; seen !== statements().length; await wait(quietMs)) seen = statements().length
  const before = statements().length
  await wait(countedMs)
  const made = statements().slice(before)
  expect(made.length).toBeGreaterThan(0)
  expect(made.length, made.join('\n')).toBeLessThanOrEqual(2 * most)
})
