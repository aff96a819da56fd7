import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { dated, oncePublished } from '../scripts/packages/once-published.ts'
import { pages } from '../server/tests/documents/pages.ts'
import { type Bill, faultsOf } from './artifacts/bill-of-materials.ts'
import { aboutPackage } from './artifacts/bill-of-package.ts'
import { writeChecksums } from './artifacts/checksums.ts'
import { byDigest } from './artifacts/deployment.ts'
import { notesOf } from './artifacts/notes.ts'
import { addHealthCheck, digestOf, writeArchive } from './image/archive.ts'
import type { Config } from './image/build.ts'
import { openJournal } from './journal.ts'
import { makeRoom } from './make-room.ts'
import { publish } from './registry.ts'
import { run } from './run.ts'
import { drawTable } from './table.ts'
import { receiverOf } from './trials/packages.ts'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-release-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('A page shows what is true today, and in the copy what is true once the version is published', () => {
  const page = 'Before.\n<!-- until published -->\nNot yet.\n<!-- once published\nIt is there.\n-->\nAfter.\n'
  expect(oncePublished(page)).toBe('Before.\nIt is there.\nAfter.\n')
  expect(oncePublished('<!-- until published -->\nNot yet.\n<!-- once published -->\nAfter.\n')).toBe('After.\n')
  expect(() => oncePublished('<!-- until published -->\nNot yet.\n')).toThrow('without its other half')
  expect(dated('## 0.2.0 (unreleased)\n\n## 0.1.0 (2026-01-31)\n', '2026-02-28')).toBe(
    '## 0.2.0 (2026-02-28)\n\n## 0.1.0 (2026-01-31)\n',
  )
})

test('Of a folder that somebody named nothing is removed', () => {
  const folder = emptyFolder()
  makeRoom(folder, false)
  makeRoom(join(folder, 'missing'), false)
  writeFileSync(join(folder, 'thesis.txt'), 'of somebody')
  expect(() => makeRoom(folder, false)).toThrow('is not empty')
  expect(existsSync(join(folder, 'thesis.txt'))).toBe(true)
  makeRoom(folder, true)
  expect(existsSync(folder)).toBe(false)
})

test('No page says in the copy that something is not published', () => {
  const claims =
    /not (in a registry|published|released) yet|no image is published|is not published\.|\(unreleased\)|packages in a registry/i
  const own = ['docs/build/releasing.md']
  const wrong = pages.filter((page) => !own.includes(page) && claims.test(oncePublished(read(page))))
  expect(wrong).toEqual([])
})

test('The notes are the section of the version in the changelog', () => {
  const changelog = '# Changelog\n\n## 0.1.10\n\n- Ten.\n\n## 0.1.1 (2026-01-31)\n\n- One.\n\n### Part\n\n## 0.1.0\n\n'
  expect(notesOf(changelog, '0.1.1')).toBe('# Signet 0.1.1\n\n- One.\n\n### Part\n')
  expect(() => notesOf(changelog, '0.1.2')).toThrow('no section for 0.1.2')
  expect(() => notesOf(changelog, '0.1.0')).toThrow('the section for 0.1.0 is empty')
  expect(notesOf(read('CHANGELOG.md'), JSON.parse(read('package.json')).version).length).toBeGreaterThan(1_000)
})

test('The checksums are what sha256sum checks, of every file', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'deployment'))
  writeFileSync(join(folder, 'b.tgz'), 'b')
  writeFileSync(join(folder, 'deployment/a.yaml'), 'a')
  writeChecksums(folder)
  const check = () =>
    execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  expect(check()).toBe('b.tgz: OK\ndeployment/a.yaml: OK\n')
  writeFileSync(join(folder, 'b.tgz'), 'c')
  expect(check).toThrow()
})

const component = (name: string, version = '1.0.0') => ({
  'bom-ref': `${name}@${version}`,
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
})
const ofProject: Bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: 'urn:uuid:a3ef6bd2-6cf3-4142-85ac-b2a8bb2d8cce',
  version: 1,
  metadata: { timestamp: '2026-11-27T17:27:15.937Z', component: component('empty', '0.0.0') },
  components: [component('library'), component('dependency')],
  dependencies: [
    { ref: 'empty@0.0.0', dependsOn: ['library@1.0.0'] },
    { ref: 'library@1.0.0', dependsOn: ['dependency@1.0.0'] },
    { ref: 'dependency@1.0.0', dependsOn: [] },
  ],
}

test('The bill of a package is about the package, and the same each time it is made of the same commit', () => {
  const subject = { name: 'library', version: '1.0.0', epoch: 1_795_799_843 }
  const bill = aboutPackage(ofProject, subject)
  expect(bill.metadata.component.name).toBe('library')
  expect(bill.components.map(({ name }) => name)).toEqual(['dependency'])
  expect(bill.dependencies?.map(({ ref }) => ref)).toEqual(['library@1.0.0', 'dependency@1.0.0'])
  expect(bill.metadata.timestamp).toBe('2026-11-27T17:17:23.000Z')
  expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(faultsOf(bill)).toEqual([])
  const later = {
    ...ofProject,
    serialNumber: 'urn:uuid:another',
    metadata: { ...ofProject.metadata, timestamp: 'later' },
  }
  expect(aboutPackage(later, subject)).toEqual(bill)
  const withBundled = aboutPackage(ofProject, subject, [component('bundled'), component('dependency')])
  expect(withBundled.dependencies?.[0]?.dependsOn).toEqual(['dependency@1.0.0', 'bundled@1.0.0'])
  expect(faultsOf(withBundled)).toEqual([])
  expect(() => aboutPackage(ofProject, { ...subject, name: 'missing' })).toThrow('lacks missing@1.0.0')
})

test('A bill without a version, with a dependency on nothing or a component twice is at fault', () => {
  expect(faultsOf({ ...ofProject, components: [component('library', '')] })).toContain('library: no version or purl')
  expect(faultsOf({ ...ofProject, components: [component('library')] })).toContain('dependency@1.0.0: not a component')
  const twice = { ...ofProject, components: [...ofProject.components, component('library')] }
  expect(faultsOf(twice)).toEqual(['a component twice'])
})

test('The compose file names the image by its digest, and builds nothing', () => {
  const compose = byDigest(
    read('compose.yaml'),
    JSON.parse(read('package.json')).version,
    'registry.example/signet@sha256:a',
  )
  expect(compose).toMatch(/^ {4}image: \$\{SIGNET_IMAGE:-registry\.example\/signet@sha256:a\}$/m)
  expect(compose).not.toContain('build:')
  expect(() => byDigest('services: {}\n', '0.1.0', 'x')).toThrow('no longer there: build: .')
})

test('The archive has the health check that the standard drops, and is the same bytes each time', async () => {
  const folder = emptyFolder()
  const layout = join(folder, 'layout')
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true })
  const put = (name: string, content: object) => writeFileSync(join(layout, name), JSON.stringify(content))
  put('oci-layout', { imageLayoutVersion: '1.0.0' })
  put('blobs/sha256/c', { os: 'linux', config: { User: '1000:1000' } })
  put('blobs/sha256/m', { config: { mediaType: 'config', digest: 'sha256:c', size: 1 }, layers: [] })
  put('index.json', { manifests: [{ digest: 'sha256:m', size: 1, annotations: {} }] })
  addHealthCheck(layout, { Healthcheck: { Test: ['CMD', 'true'] } } as Config)
  const blob = (digest: string) => JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'))
  const config = blob(blob(digestOf(layout)).config.digest)
  expect(config.config).toEqual({ User: '1000:1000', Healthcheck: { Test: ['CMD', 'true'] } })
  expect(existsSync(join(layout, 'blobs/sha256/m'))).toBe(false)
  const [one, other] = [join(folder, 'one.tar'), join(folder, 'other.tar')]
  for (const file of [one, other]) await writeArchive(layout, file, 1_795_799_843, join(folder, 'log'))
  expect(readFileSync(one).equals(readFileSync(other))).toBe(true)
})

test('The receiver that is tried is that of the README of @signet/webhooks', () => {
  const receiver = receiverOf(read('sdk/webhooks/README.md'))
  expect(receiver).toContain("if (webhook.trigger_name === 'token_minted')")
  expect(receiver).toContain('createServer({ cert, key }, nodeHandler(receiver)).listen(')
  expect(() => receiverOf('# Nothing')).toThrow('has no receiver')
})

test('A rehearsal publishes to its own registry alone, whatever npm is configured with', async () => {
  const asked: string[] = []
  const registryCalled = async (name: string) => {
    const server = createServer((request, response) => {
      asked.push(`${request.method} of ${name}`)
      response.setHeader('content-type', 'application/json').end('{}')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const [own, real] = [await registryCalled('the rehearsal'), await registryCalled('somebody')]
  const settingsOf = (address: string) => `registry=${address}\n${address.replace('http:', '')}:_authToken=none\n`
  const folder = emptyFolder()
  writeFileSync(join(folder, 'package.json'), '{ "name": "@signet/thing", "version": "1.2.3" }')
  execFileSync('npm', ['pack', '--ignore-scripts'], { cwd: folder, stdio: 'pipe' })
  // A folder above it with a package.json is the one whose `.npmrc` counts.
  writeFileSync(join(folder, '.npmrc'), settingsOf(real))
  writeFileSync(join(folder, 'user.npmrc'), `${settingsOf(real)}@signet:registry=${real}\n`)
  vi.stubEnv('npm_config_registry', real)
  vi.stubEnv('npm_config_userconfig', join(folder, 'user.npmrc'))
  onTestFinished(() => void vi.unstubAllEnvs())
  mkdirSync(join(folder, 'publishing'))
  const place = { folder: (name: string) => join(folder, name), log: () => join(folder, 'log'), keepLogs: () => {} }
  const packages = [{ name: '@signet/thing', file: join(folder, 'signet-thing-1.2.3.tgz') }]
  await publish(packages, { address: own, settings: settingsOf(own) }, place)
  expect(asked).toContain('PUT of the rehearsal')
  expect(asked.filter((each) => each.endsWith('somebody'))).toEqual([])
})

test('What fails is a row of the table with its reason, and the rest goes on', async () => {
  const journal = openJournal(() => {})
  const file = join(emptyFolder(), 'signet.tgz')
  writeFileSync(file, 'content')
  await journal.proveFile(file, 'built twice', async () => '3 components')
  const failed = await journal.prove('image', 'built twice', async () =>
    Promise.reject(new Error('not | the same\nlog')),
  )
  journal.cannot('helm', 'there is no chart')
  expect(failed).toBeUndefined()
  expect(drawTable(journal.rows.map((row) => ({ ...row, seconds: 1 })))).toBe(
    [
      '| artifact   | bytes | sha256       | tried                     | result                      | seconds |',
      '|------------|-------|--------------|---------------------------|-----------------------------|---------|',
      '| signet.tgz | 7     | ed7002b439e9 | built twice: 3 components | proved                      | 1       |',
      '| image      |       |              | built twice               | failed: not ¦ the same      | 1       |',
      '| helm       |       |              |                           | not here: there is no chart | 1       |',
    ].join('\n'),
  )
})

test('A program that fails says what it said last, and its output is in the log', async () => {
  const log = join(emptyFolder(), 'log')
  await expect(run(['sh', '-c', 'echo told >&2; echo why >&2; exit 3'], { log })).rejects.toThrow(
    /ended with 3: told\nwhy$/,
  )
  expect(await run(['echo', 'result'], { log })).toBe('result')
  expect(readFileSync(log, 'utf8')).toBe('told\nwhy\nresult\n')
})
