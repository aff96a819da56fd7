// `npm run test:server -- <DATABASE_URL>`: all tests that need a database, on that server as it is; its role may create
// databases, and need not be a superuser. A folder of PostgreSQL's programs in place of the address: on a server that is
// made of them, with its own defaults, and removed. What follows is for vitest, such as the path of one test.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const [server, ...args] = process.argv.slice(2)
if (!server) {
  console.error('Give the address of a server, as in DATABASE_URL, or a folder of PostgreSQL programs')
  process.exit(2)
}
const vitest = join(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
const programs = server.startsWith('/') && { PG_BIN: server }
const env = { ...process.env, ...programs, SIGNET_TEST_SERVER: server }
spawn(process.execPath, [vitest, 'run', ...args], { stdio: 'inherit', env }).once('exit', (code) => {
  process.exitCode = code ?? 1
})
