// Builds the console into console/dist, where its sources changed since the last build: before `npm start`, and in an image.
// Signet starts without a console where it cannot be built, so that this ends with 0 there.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'console/dist')
const sources = ['console/src', 'sdk/management/src', 'examples']
const sourceFiles = ['console/index.html', 'console/package.json', 'console/vite.config.ts', 'package-lock.json']
const stampName = '.built-from'

const stamp = hashOfSources()
if (read(join(dist, stampName)) !== stamp) await build().catch(report)

async function build() {
  const began = performance.now()
  print('Building the console…')
  const { build } = await import('vite')
  const configFile = join(root, 'console/vite.config.ts')
  const { output } = await build({ configFile, configLoader: 'native', logLevel: 'error', build: { write: false } })
  write(new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source])))
  print(`Built the console in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
  if (process.stdout.isTTY) console.log()
}

/**
 * First what has a hash in its name, then the page that names it, at last the stamp: whoever reads meanwhile has the old console or the
 * new one, whether this is killed or another start does the same beside it.
 */
function write(files) {
  const page = files.get('index.html')
  files.delete('index.html')
  for (const [name, content] of files) put(name, content)
  put('index.html', page)
  put(stampName, stamp)
  for (const name of readdirSync(join(dist, 'assets')))
    if (!files.has(`assets/${name}`)) rmSync(join(dist, 'assets', name), { force: true })
}

function put(name, content) {
  const path = join(dist, name)
  const beside = join(dist, `.${process.pid}`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(beside, content)
  renameSync(beside, path)
}

/** `--strict`, for images and tests: a console is wanted. */
function report(error) {
  const instead = existsSync(join(dist, 'index.html')) ? 'with the one that was built before' : 'without it'
  print(`The console could not be built, and Signet starts ${instead}: ${error.message.split('\n')[0]}`)
  if (process.stdout.isTTY) console.log()
  if (process.argv.includes('--strict')) throw error
}

/** Their content, not their times: a clone or an image has new ones. Of some 330 files; it takes less than a bare start of Node. */
function hashOfSources() {
  const hash = createHash('sha256')
  // Files have a dot in their names, folders have none: to ask which is which would take as long as all the rest.
  const found = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => extname(name))
      .map((name) => `${folder}/${name}`),
  )
  for (const path of [...sourceFiles, ...found].sort()) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
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
