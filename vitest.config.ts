import { defineConfig } from 'vitest/config'

/** The path of a file alone says how it is run; `tests/suites.ts` has the suites. */
const all = '{cli,console,help,proto,release,scripts,sdk,server,tests}/**/*.test.ts'
const slow = '**/*.slow.test.ts'
const debian = 'server/tests/debian/**/*.test.ts'
/** They make every server that they need, and reach beyond loopback. */
const alone = ['server/tests/printed/**/*.test.ts', 'server/tests/debian/failover/**/*.test.ts']

const minute = 60_000

export default defineConfig({
  test: {
    // Two cores: more workers than this only wait for each other.
    maxWorkers: 3,
    testTimeout: minute,
    hookTimeout: 1.5 * minute,
    // A busy machine: less than the sweep of delivery, which would make good what is polled for, after up to 20 s.
    expect: { poll: { timeout: 10_000 } },
    passWithNoTests: false,
    // What a test says is shown where it fails.
    silent: 'passed-only',
    projects: [
      // A worker loads each module once for all its files: loading them for each took a fifth of the processor time of all tests.
      project('quick', [all], [slow, debian], { isolate: false }),
      project('slow', [slow], alone, { testTimeout: 10 * minute, hookTimeout: 3 * minute }),
      // An image is built, or a program compiled, before the tests.
      project('debian', [debian], alone, { testTimeout: 5 * minute, hookTimeout: 15 * minute }),
      project('alone', alone, [], { testTimeout: 30 * minute, hookTimeout: 15 * minute }),
    ],
  },
})

function project(name: string, include: string[], exclude: string[], times = {}) {
  const globalSetup = name === 'alone' ? [] : ['server/tests/support/global-setup.ts']
  const test = { name, include, exclude: ['**/node_modules/**', ...exclude], globalSetup, ...times }
  return { extends: true as const, test }
}
