import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/ground/database/embedded/index.ts'
import { administer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/program.ts'
import { type Signet, startSignet } from '../../support/signet.ts'

/** A start is over when there is no statement for this long. */
const quietMs = 3_000
/** With all that runs once a minute: what part of it falls into half a minute depends on how long a start took. */
const countedMs = 60_000
/** Of one process, when nothing happens, `begin` and `commit` counted. */
const most = 20

/** As a load balancer asks (`examples/deployment/haproxy.cfg`). */
const probeEveryMs = 1_000
const probes = countedMs / probeEveryMs

test.for([
  ['that nobody asks', 0],
  ['that a load balancer asks each second', probes],
] as const)(
  'Each of two idle processes %s makes at most twenty statements in a minute, and one for each question',
  {
    timeout: 180_000,
  },
  async ([, asked], context) => {
    const folder = join(temporaryFolder(context), 'postgres')
    const settings = { fsync: 'off', log_statement: 'all', log_line_prefix: '%d ' }
    const postgres = await startEmbeddedPostgres({ folder, settings, diesWithParent: true })
    context.onTestFinished(postgres.stop)
    const { host, port, user } = postgres.connection
    await administer(postgres.connection, 'create database idle')
    const databaseUrl = `postgresql:///idle?host=${encodeURIComponent(host)}&port=${port}&user=${user}`
    const env = { SIGNET_BASE_URL: 'http://signet.localhost' }
    const processes: Signet[] = []
    for (let count = 0; count < 2; count++) {
      const signet = await startSignet({ databaseUrl, env })
      processes.push(signet)
      context.onTestFinished(() => signet.kill())
    }
    const statements = () =>
      readFileSync(join(folder, 'postgres.log'), 'utf8')
        .split('\n')
        .filter((line) => /^idle LOG: +(?:statement|execute)/.test(line))
    for (let seen = -1; seen !== statements().length; await wait(quietMs)) seen = statements().length
    const before = statements().length
    const answered = new Set<number>()
    const since = performance.now()
    for (let probe = 1; probe <= asked; probe++) {
      for (const signet of processes) answered.add((await signet.call('GET', '/readyz')).status)
      await wait(since + probe * probeEveryMs - performance.now())
    }
    if (asked === 0) await wait(countedMs)
    expect([...answered]).toEqual(asked > 0 ? [200] : [])
    const made = statements().slice(before)
    expect(made.length).toBeGreaterThan(0)
    expect(made.length, made.join('\n')).toBeLessThanOrEqual(2 * (most + asked))
  },
)
