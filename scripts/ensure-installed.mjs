// What the commands of package.json begin with, on a fresh clone or after the lockfile changed: installs what the service needs,
// and with `--tools` also what tests, checks and benchmarks need; `--pages` then builds the console and the help where their sources
// changed (`--pages=strict`: or fails). Plain JavaScript that Node 20 understands.
import { spawn, spawnSync } from 'node:child_process'
import { commands, whatToInstallIn } from './what-to-install.mjs'

const progressEveryMs = process.stdout.isTTY ? 1_000 : 10_000
const purposes = {
  production: 'Signet (about 430 MB, a minute or less)',
  all: 'Signet and its development tools (about 900 MB, two minutes or less)',
  completion: 'the development tools (about 470 MB, a minute and a half or less)',
}

const needed = whatToInstallIn('.', { needsTools: process.argv.includes('--tools') })
if (needed) await install(needed)
buildPages(process.argv.find((argument) => argument.startsWith('--pages')))

async function install(name) {
  console.log(`Installing ${purposes[name]}…`)
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1_000)
  const progress = setInterval(() => print(`… ${seconds()} s`), progressEveryMs)
  const npm = spawn('npm', [...commands[name], '--no-progress'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const failure = await new Promise((resolve) => {
    npm.on('error', (error) => resolve(`npm could not be started: ${error.message}`))
    npm.on('close', (code) => resolve(code === 0 ? undefined : 'The installation failed; try again.'))
  })
  clearInterval(progress)
  print(failure ?? `Installed in ${seconds()} s.`)
  if (process.stdout.isTTY) console.log()
  if (failure) process.exit(1)
}

/** By the Node that was installed: it is found in the path anew. */
function buildPages(wish) {
  if (!wish) return
  const strictness = wish === '--pages=strict' ? ['--strict'] : []
  const { status } = spawnSync('node', ['scripts/build-pages.mjs', ...strictness], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

/** At a terminal one line that changes, elsewhere a line each. */
function print(line) {
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
}
