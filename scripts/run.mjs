// Runs one of `programs.mjs` once what it needs is installed and built. Plain JavaScript that Node 20 understands.
import { spawn } from 'node:child_process'
import { programs } from './programs.mjs'

const [group, ...given] = process.argv.slice(2)
const ofGroup = programs[group]
const [name = Object.keys(ofGroup)[0], ...args] = given
const program = ofGroup[name]
if (!program) {
  console.error(`npm run ${group} -- <name>: one of ${Object.keys(ofGroup).join(', ')}`)
  process.exit(2)
}

const { run, needsTools, needsPages } = program
const preparation = [needsTools && '--tools', needsPages && '--pages=strict'].filter(Boolean)
// Found in the path anew each time: the pinned Node is itself among what is installed.
process.exitCode = (await ends(['scripts/ensure-installed.mjs', ...preparation])) || (await ends([...run, ...args]))

/** Ctrl-C reaches the program itself, too; who ends this one alone ends both. */
function ends(command) {
  const child = spawn('node', command, { stdio: 'inherit' })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => child.kill(signal)])
  for (const [signal, forward] of signals) process.on(signal, forward)
  return new Promise((resolve) => {
    child.once('exit', (code) => {
      for (const [signal, forward] of signals) process.off(signal, forward)
      resolve(code ?? 1)
    })
  })
}
