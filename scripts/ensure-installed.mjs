// Runs before `npm start` and `npm test`: installs the dependencies on a fresh clone, or after the lockfile changed.
// Plain JavaScript that Node 20 understands, for the pinned Node is among what it installs.
import { execSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'

const installed = 'node_modules/.package-lock.json'
const current = existsSync(installed) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs

if (!current) {
  console.log('Installing dependencies (first run only; 10 to 90 s, about 1 GB)…')
  execSync('npm ci', { stdio: 'inherit' })
}
