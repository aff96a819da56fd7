// Runs before the commands of package.json, on a fresh clone or after the lockfile changed: installs what the service needs,
// and with `--tools` also what tests, checks and benchmarks need. Plain JavaScript that Node 20 understands.
import { spawn } from 'node:child_process'
import { commands, whatToInstallIn } from './what-to-install.mjs'

const progressEveryMs = process.stdout.isTTY ? 1_000 : 10_000
const purposes = {
  production: 'Signet (about 430 MB, a minute or less)',
  all: 'Signet and its development tools (about 900 MB, two minutes or less)',
  completion: 'the development tools (about 470 MB, a minute and a half or less)',
}

const needed = whatToInstallIn('.', { needsTools: process.argv.includes('--tools') })
if (needed) install(needed)

function install(name) {
  console.log(`Installing ${purposes[name]}…`)
  const began = Date.now()
  const seconds = () => Math.round((Date.now() - began) / 1_000)
  const progress = setInterval(() => print(`… ${seconds()} s`), progressEveryMs)
  const npm = spawn('npm', [...commands[name], '--no-progress'], { stdio: ['ignore', 'ignore', 'inherit'] })
  npm.on('error', (error) => end(1, `npm could not be started: ${error.message}`))
  npm.on('close', (code) =>
    end(code ?? 1, code === 0 ? `Installed in ${seconds()} s.` : 'The installation failed; try again.'),
  )

  function end(code, line) {
    clearInterval(progress)
    print(line)
    if (process.stdout.isTTY) console.log()
    process.exit(code)
  }
}

/** At a terminal one line that changes, elsewhere a line each. */
function print(line) {
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
}
