// What the builds of the console and of the help share: each is built into its folder `dist` where its sources changed since the last
// build. Signet starts without it where it cannot be built, so that this ends with 0 there.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const stampName = '.built-from'

/**
 * `name`: what it is called. `folder`: of the repository, where `dist` lies. `sources`: gives folders and files, from the top of the repository.
 * `make`: gives the content of each file by its path in `dist`.
 */
export async function buildWhenChanged(wanted) {
  try {
    await build(wanted)
  } catch (error) {
    const [first, ...others] = wanted.name
    const instead = existsSync(join(distOf(wanted), 'index.html')) ? 'with what was built before' : 'without it'
    const reason = error.message.split('\n')[0]
    printLast(`${first.toUpperCase()}${others.join('')} could not be built, and Signet starts ${instead}: ${reason}`)
    // For images and tests: it is wanted.
    if (process.argv.includes('--strict')) throw error
  }
}

async function build({ name, folder, sources, make }) {
  const dist = distOf({ folder })
  const stamp = hashOf(await sources())
  if (read(join(dist, stampName)) === stamp) return
  const began = performance.now()
  print(`Building ${name}…`)
  write(dist, new Map([...(await make()), [stampName, stamp]]))
  printLast(`Built ${name} in ${((performance.now() - began) / 1_000).toFixed(1)} s.`)
}

const distOf = ({ folder }) => join(root, folder, 'dist')

/**
 * First what pages name, then the pages, at last the stamp: whoever reads meanwhile has the old build or the new one, whether this is
 * killed or another start does the same beside it.
 */
function write(dist, files) {
  const names = [...files.keys()].sort((one, other) => rankOf(one) - rankOf(other))
  for (const name of names) put(dist, name, files.get(name))
  for (const name of namesIn(dist)) if (!files.has(name)) rmSync(join(dist, name), { force: true })
}

const rankOf = (name) => (name === stampName ? 2 : name.endsWith('.html') ? 1 : 0)

function put(dist, name, content) {
  const path = join(dist, name)
  const beside = join(dist, `.${process.pid}`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(beside, content)
  renameSync(beside, path)
}

/** Their content, not their times: a clone or an image has new ones. Of some 500 files; it takes less than a bare start of Node. */
function hashOf(sources) {
  const hash = createHash('sha256')
  const found = sources.flatMap((source) =>
    extname(source) ? [source] : namesIn(join(root, source)).map((name) => `${source}/${name}`),
  )
  for (const path of found.sort()) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** Files have a dot in their names, folders have none: to ask which is which would take as long as all the rest. One before its name is of another build. */
const namesIn = (folder) => readdirSync(folder, { recursive: true }).filter((name) => extname(name))

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

function printLast(line) {
  print(line)
  if (process.stdout.isTTY) console.log()
}
