import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '..')
type Manifest = { name: string; version?: string; bin?: Record<string, string>; workspaces?: string[] }

const read = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8'))
const tracked = execFileSync('git', ['ls-files', 'package.json', '*/package.json'], { cwd: root, encoding: 'utf8' })
const manifests = tracked
  .trim()
  .split('\n')
  .map((path) => ({ path, ...read(path) }))
const programs = manifests.flatMap(({ path, bin = {} }) =>
  Object.entries(bin).map(([name, file]) => ({ name, file, path })),
)

const twice = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at)

test('No two packages of ours have one name, and no two declare one program', () => {
  expect(twice(manifests.map(({ name }) => name))).toEqual([])
  expect(twice(programs.map(({ name }) => name))).toEqual([])
  expect(programs.map(({ name }) => name)).toContain('signet')
})

test('The lockfile, by which npm links programs, declares the same ones', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const locked = Object.entries<Manifest>(packages).filter(([path]) => !path.includes('node_modules'))
  const names = locked.flatMap(([path, { bin = {} }]) => Object.keys(bin).map((name) => [name, path]))
  expect(names).toEqual(programs.map(({ name, path }) => [name, dirname(path)]))
})

test('npm links `signet` to the program with all commands', () => {
  const clone = mkdtempSync(join(tmpdir(), 'signet-names-'))
  onTestFinished(() => rmSync(clone, { recursive: true }))
  const { workspaces = [] } = read('package.json')
  for (const { path, name, version, bin } of manifests) {
    mkdirSync(join(clone, dirname(path)), { recursive: true })
    const own = path === 'package.json' ? { name, workspaces } : { name, version, bin }
    writeFileSync(join(clone, path), JSON.stringify(own))
  }
  for (const { path, file } of programs)
    cpSync(join(root, dirname(path), file), join(clone, dirname(path), file), { recursive: true })
  execFileSync('npm', ['install', '--offline', '--ignore-scripts'], { cwd: clone, stdio: 'pipe' })
  const linked = realpathSync(join(clone, 'node_modules/.bin/signet'))
  expect(linked).toBe(realpathSync(join(clone, 'server/src/signet.mjs')))
})

/** Those that somebody starts side by side, by `npm run` and by the guides. */
const startedSideBySide = [
  'server/src/start/config.ts',
  'examples/provider/provider.ts',
  'examples/sign-in/application.ts',
  'examples/receiver/receiver.ts',
]

test('No two programs that run side by side listen on one port by default', () => {
  const defaults =
    /(?:PORT = '|setting\('PORT', |APPLICATION_URL = 'http:\/\/localhost:|TARGET_URL = 'https:\/\/receiver\.test:)(\d+)/
  const ports = startedSideBySide.map((path) => defaults.exec(readFileSync(join(root, path), 'utf8'))?.[1] ?? path)
  expect(ports.filter((port) => !/^\d+$/.test(port))).toEqual([])
  expect(twice(ports)).toEqual([])
})

test('No two files for Kubernetes make one object', () => {
  const files = globSync('examples/kubernetes/**/*.yaml', { cwd: root })
  const documents = files.flatMap((file) => parseAllDocuments(readFileSync(join(root, file), 'utf8')))
  const objects = documents.map((each) => each.toJS()).filter((each) => each?.metadata?.name)
  expect(objects.length).toBeGreaterThan(5)
  expect(twice(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`))).toEqual([])
})
