// `npm run check`: runs every check besides the tests, one after the other, and prints the time of each. A failure does not stop
// the others, so that one run shows everything.
import { spawnSync } from 'node:child_process'

const checks = {
  'format and lint': ['biome', 'ci', '--error-on-warnings'],
  types: ['tsc', '-p', '.'],
  'types of the clients in tests': ['tsc', '-p', 'server/tests/clients/applications'],
  'types of @signet/browser': ['tsc', '-p', 'sdk/browser'],
  'types of the console': ['tsc', '-p', 'console'],
  'types of the help': ['tsc', '-p', 'help'],
  'types of @signet/cli': ['tsc', '-p', 'cli'],
  'types of @signet/management': ['tsc', '-p', 'sdk/management'],
  'types of its tests': ['tsc', '-p', 'sdk/management/tests'],
  'types of its example': ['tsc', '-p', 'examples/warehouse'],
  'types of @signet/webhooks': ['tsc', '-p', 'sdk/webhooks'],
  imports: ['node', 'scripts/check-imports.mjs'],
  'owners and readers of tables': ['node', 'scripts/check-tables.mjs'],
  'private interfaces': ['node', 'scripts/check-private.mjs'],
  'tables of tests': ['node', 'scripts/test-tables.mjs'],
  'event contract': ['node', 'scripts/check-events.mjs'],
  'unused code': ['knip', '--no-progress'],
}

let failed = 0
for (const [name, [command, ...args]] of Object.entries(checks)) {
  const began = performance.now()
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  if (status !== 0) console.log(`${stdout}${stderr}`)
  if (status !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
