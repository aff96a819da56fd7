// `npm run test:everything [-- <suite> …] [--install]`: runs every suite of `suites.ts` that this machine can run, goes on after a
// failure, and writes docs/tested.md. `--install`: the packages of Debian that the suites need are installed first.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { howToInstall, installPackages, missingFor, missingPackages } from './requirements.ts'
import { repository } from './run-files.ts'
import { allFiles, runSuite } from './run-suite.ts'
import { filesOf, type Suite, suites } from './suites.ts'
import { notRunRow, readPage, rowOf, writePage } from './tested-page.ts'

const page = join(repository, 'docs/tested.md')
const args = process.argv.slice(2)
const names = args.filter((argument) => argument !== '--install')
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name))
if (unknown.length > 0) {
  console.error(`No suite is called ${unknown.join(', ')}. They are: ${suites.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

const chosen = names.length > 0 ? suites.filter(({ name }) => names.includes(name)) : suites
await providePackages()
const rows = existsSync(page) ? readPage(readFileSync(page, 'utf8')) : new Map()
let isRed = false
for (const [index, suite] of chosen.entries()) {
  console.log(`\n[${index + 1}/${chosen.length}] ${suite.name}: ${filesOf(suite, allFiles()).length} files`)
  rows.set(suite.name, await row(suite))
  writeFileSync(page, writePage({ machine: machine(), rows }))
}
console.log(`\nWritten: ${page}`)
process.exitCode = isRed ? 1 : 0

async function providePackages() {
  const wanted = chosen.flatMap(({ packages = [], furtherPackages = [] }) => [...packages, ...furtherPackages])
  const missing = missingPackages([...new Set(wanted)])
  if (missing.length === 0) return
  if (args.includes('--install')) return installPackages(missing)
  console.log(`Not installed, so some tests cannot be run: ${howToInstall(missing)} (or pass --install)`)
}

async function row(suite: Suite) {
  const needs = missingFor(suite)
  if (needs) {
    console.log(`Not run: needs ${needs}`)
    return notRunRow(suite, needs)
  }
  const outcome = await runSuite(suite)
  isRed ||= outcome.failed.length > 0
  const made = rowOf(suite, { commit: commit(), date: new Date().toISOString().slice(0, 10) }, outcome)
  for (const line of made.lines) console.log(line)
  return made
}

/** With a plus where a file other than the page itself differs from it. */
function commit(): string {
  const git = (...command: string[]) => execFileSync('git', command, { cwd: repository, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--', '.', ':!docs/tested.md')
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`
}

function machine(): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores (${first?.model.trim()}), ${memory} GB, ${process.platform} ${release()}, Node ${process.versions.node}`
}
