import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { findStockPrograms } from './server/tests/support/stock-postgres.ts'

/** Tests that look at no database. */
const ofNone = [
  'documents/*',
  ...['platform/document-links', 'issuer/lazy-library', 'delivery/sender'],
  ...['sign-in/providers', 'sign-in/providers-hostile', 'hostile/answers'],
]
/** Those that make a PostgreSQL of the embedded programs. */
const ofEmbedded = [
  'platform/demo*',
  'platform/embedded-postgres',
  'platform/backup',
  'platform/restored-sign-in',
  'faults/postgres-killed',
  'platform/start',
  'platform/stop-and-start-again',
]
/** Those that make standbys, of the programs in PG_BIN where that is set. */
const ofStandbys = process.env.PG_BIN ? [] : ['faults/primary-lost', 'platform/regions']
/** Each has a command of its own, such as `npm run test:proxies`. */
const apart = [
  ...['proxies', 'debian-clients', 'receivers', 'feed-servers', 'upgrade', 'image', 'failover', 'printed'].map(
    (folder) => `server/tests/${folder}/**`,
  ),
  'console/tests/browser/**',
]
/** What `npm run test:slow` runs once more on a stock server; `npm run test:server` runs all on it. */
const ofInterface = 'delivery feed persons webhooks'
const ofDelivery = 'delivery-log queue-plans wake'
const essential = [
  ...ofInterface.split(' ').map((name) => `interface/${name}`),
  ...ofDelivery.split(' ').map((name) => `delivery/${name}`),
  'feed/order',
  ...['migrate', 'transactions', 'few-connections'].map((name) => `platform/${name}`),
]
/** Faults take minutes, so only `npm run test:faults` runs them: their kinds have shorter tests besides. */
const faults = process.env.SIGNET_FAULTS ? [] : ['faults/*']

/** What `npm run test:slow` runs instead: with it `npm test` would take several minutes more. */
const slow = [
  ...[
    ...['backup', 'restored-sign-in', 'regions', 'embedded-postgres', 'tracing', 'demo-sign-in', 'retention', 'init'],
    ...['stop-and-start-again', 'reencrypt-command', 'connections', 'move-organization', 'fresh-clone.slow'],
  ].map((name) => `platform/${name}`),
  ...['sign-in-browser', 'pages-browser', 'browser-library', 'browser-library-refusals', 'sign-in-crashes'].map(
    (name) => `sign-in/${name}`,
  ),
  ...[
    ...['delivery-time', 'claim-on-publish', 'claim-on-publish-handover', 'claim-on-publish-queue'],
    ...['split-roles', 'openssl-receiver'],
  ].map((name) => `delivery/${name}`),
  ...['clients/further-clients', 'management/purge-organizations'],
]

/** An address, or a folder of programs of which a server is made: see `scripts/test-server.ts`. */
const server = process.env.SIGNET_TEST_SERVER

export default defineConfig({
  test: {
    // Two cores: more workers than this only wait for each other. Slow tests load both cores and have limits of time.
    maxWorkers: process.env.SLOW_TESTS ? 2 : 3,
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // A busy machine: less than the sweep of delivery, which would make good what is polled for, after up to 20 s.
    expect: { poll: { timeout: 10_000 } },
    passWithNoTests: false,
    projects: projects(),
  },
})

function projects() {
  if (server) return [given()]
  if (process.env.SLOW_TESTS) return [project('embedded', testsOf(slow)), ...stock()]
  return [project('embedded', ['{cli,console,server,proto,scripts,sdk}/**/*.test.ts'], testsOf([...faults, ...slow]))]
}

function given() {
  const leftOut = testsOf([...ofEmbedded, ...ofStandbys])
  const hint = process.env.PG_BIN ? '' : ' (PG_BIN=<folder of its programs> for those of regions)'
  console.log(`Left out: ${globSync(leftOut).length} test files that make servers of their own${hint}`)
  return project('given', testsOf(['**/*']), [...leftOut, ...testsOf(ofNone)])
}

function stock() {
  if (findStockPrograms()) return [project('stock', testsOf(essential))]
  console.log(
    'Left out: the tests on a stock PostgreSQL, which is not on this machine (PG_BIN=<folder of its programs>)',
  )
  return []
}

/** One that matches nothing has been renamed, and would be left out without a word. */
function testsOf(names: string[]) {
  const patterns = names.map((name) => `server/tests/${name}.test.ts`)
  for (const pattern of patterns)
    if (globSync(pattern, { cwd: import.meta.dirname }).length === 0)
      throw new Error(`${pattern}: there is no such test`)
  return patterns
}

function project(name: string, include: string[], exclude: string[] = []) {
  const globalSetup = 'server/tests/support/global-setup.ts'
  return {
    extends: true as const,
    test: { name, include, exclude: ['**/node_modules/**', ...apart, ...exclude], globalSetup },
  }
}
