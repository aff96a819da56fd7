#!/usr/bin/env node
// What `npx signet` runs in a clone. Plain JavaScript that every Node since 12 understands: an older one, which cannot run the
// TypeScript, runs the clone's own Node with the same arguments, and where there is none ends with one line.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const clone = fileURLToPath(new URL('../..', import.meta.url))
const needed = [24, 12]
const [major, minor] = process.versions.node.split('.').map(Number)
/** A package of its own, which `npm start` installs. */
const ownNode = join(clone, 'node_modules/.bin/node')

// In a folder below, the data folder of the clone is meant.
if (!existsSync('data') && existsSync(join(clone, 'data'))) process.env.SIGNET_DATA_DIR ||= join(clone, 'data')

if (major > needed[0] || (major === needed[0] && minor >= needed[1])) import('./signet.ts')
else if (existsSync(ownNode) && realpathSync(ownNode) !== realpathSync(process.execPath)) runUnder(ownNode)
else refuse('run `npm start` once in the clone, which installs one, or install a later Node')

function runUnder(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends these to the whole group, and then the program counts both as one; others send them to this process alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => refuse(`the clone's own cannot be run: ${message}`))
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code))
}

function refuse(advice) {
  console.error(`signet: needs Node ${needed.join('.')} or later, and this is ${process.versions.node}; ${advice}`)
  process.exitCode = 1
}
