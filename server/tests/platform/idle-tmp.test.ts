import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../src/database/embedded/index.ts'
import { administer } from '../support/database.ts'
import { temporaryFolder } from '../support/program.ts'
import { startSignet } from '../support/signet.ts'

/** A start is over when there is no statement for this long. */
const quietMs = 3_000
const countedMs = 60_000
/**
 * A process may make 20 statements a minute when nothing happens, `begin` and `commit` counted. Four of these are for what runs once a
 * minute or more rarely, mostly when these thirty seconds are over.
 */
const most = (20 - 4) / 2

test('Each of two idle processes makes at most eight statements in half a minute', {
  timeout: 120_000,
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
  console.log('MADE', made.length, made.join('\n'))
  expect(made.length, made.join('\n')).toBeLessThanOrEqual(2 * most)
})
