// `SIGNET_TEST_SERVER=<DATABASE_URL> npm run test:everything -- given`: runs all tests that need a database on that server as it is. The role must be able
// to create databases, and need not be a superuser. With a folder of PostgreSQL programs instead of the address, the tests run
// on a temporary server with its own defaults. Further arguments go to vitest, such as the path of one test.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const [server, ...args] = process.argv.slice(2)
if (!server) {
  console.error('Pass the address of a server, as in DATABASE_URL, or a folder of PostgreSQL programs')
  process.exit(2)
}
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
const programs = server.startsWith('/') && { PG_BIN: server }
const env = { ...process.env, ...programs, SIGNET_TEST_SERVER: server }
spawn(process.execPath, [vitest, 'run', ...args], { stdio: 'inherit', env }).once('exit', (code) => {
  process.exitCode = code ?? 1
})
