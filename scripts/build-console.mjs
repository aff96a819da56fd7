// Builds the console into console/dist, where its sources changed since the last build: before `npm start`, and in an image.
// Signet starts without a console where it cannot be built, so that this ends with 0 there.
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const sources = [
  'console/{index.html,package.json,vite.config.ts}',
  'console/src/**/*',
  'sdk/management/src/**/*',
  'examples/**/*',
  'package-lock.json',
]
const stampFile = join(root, 'console/dist/.built-from')

const stamp = hashOfSources()
if (read(stampFile) !== stamp) await build().catch(report)

async function build() {
  const began = performance.now()
  print('Building the console…')
  const { build } = await import('vite')
  await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'error' })
  writeFileSync(stampFile, stamp)
  print(`Built the console in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
  if (process.stdout.isTTY) console.log()
}

/** `--strict`, for images and tests: a console is wanted. */
function report(error) {
  print(`The console could not be built, and Signet starts without it: ${error.message.split('\n')[0]}`)
  if (process.stdout.isTTY) console.log()
  if (process.argv.includes('--strict')) throw error
}

function hashOfSources() {
  const hash = createHash('sha256')
  for (const file of globSync(sources, { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile()))
    hash.update(file.name).update(readFileSync(join(file.parentPath, file.name)))
  return hash.digest('hex')
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** At a terminal one line that changes, elsewhere a line each. */
function print(line) {
  process.stdout.write(process.stdout.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
}
