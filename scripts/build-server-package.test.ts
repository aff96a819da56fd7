import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { makeMasterKey } from '../server/src/ground/keys/index.ts'
import { emptyDatabase } from '../server/tests/support/database.ts'
import { nodeOfTheMachine } from '../server/tests/support/node-of-the-machine.ts'
import { run } from '../server/tests/support/program.ts'
import { startReceiver } from '../server/tests/support/receiver.ts'
import { createClient } from '../server/tests/support/signet.ts'
import { addWebhook } from '../server/tests/support/webhooks.ts'
import { packPackage } from './build-packages.ts'
import { buildServerPackage } from './build-server-package.ts'
import { freePort } from './free-port.ts'

const root = join(import.meta.dirname, '..')
let folder: string
let tarball: string
/** Where it lies once it is installed. */
let installed: string

type Manifest = { bin: object; dependencies: Record<string, string>; optionalDependencies: Record<string, string> }
const manifest = (): Manifest => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const program = () => join(installed, 'server/src/signet.js')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-server-package-'))
  await buildServerPackage(join(folder, 'built'))
  tarball = packPackage(join(folder, 'built'), folder)
  installed = install(join(folder, 'project/node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** As npm does, but for the registry: what the package asks for, and nothing else, comes from this repository. */
function install(modules: string): string {
  const place = join(modules, '@signet/server')
  mkdirSync(dirname(place), { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder])
  renameSync(join(folder, 'package'), place)
  const { dependencies }: Manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const source = ['cli', '.'].map((from) => join(root, from, 'node_modules', name)).find(existsSync)
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(source ?? '', join(modules, name))
  }
  return place
}

test('It is one program, of JavaScript, with the console built and without the tools that build it', async () => {
  const { bin, dependencies, optionalDependencies } = manifest()
  expect(bin).toEqual({ signet: './server/src/signet.js' })
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  expect(names.filter((name) => /vite|rolldown|lightningcss|react|^@signet\/|node-linux/.test(name))).toEqual([])
  const files = globSync('**/*.*', { cwd: installed })
  // The receivers that the console shows are text, which nothing runs here.
  const run = files.filter((file) => !/^console\/dist\/assets\/receiver-[^/]*$/.test(file))
  expect(run.filter((file) => /\.tsx?$|\.test\.|node_modules/.test(file))).toEqual([])
  expect(files.filter((file) => /^console\/dist\/(index\.html|assets\/.*\.css)$/.test(file)).length).toBeGreaterThan(1)
  expect(files.filter((file) => file.endsWith('.sql'))).toEqual(
    globSync('server/migrations/*.sql', { cwd: root }).sort(),
  )
  const file = readFileSync(tarball)
  const data = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer
  expect((await publint({ pack: { tarball: data }, strict: true })).messages).toEqual([])
})

test('Its README links to no page that is not there', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, address]) => address ?? '')
  expect(links.filter((address) => !/^(https?:|#)/.test(address))).toEqual([])
  expect(readme).toContain('Your own PostgreSQL (`docs/operate/own-postgresql.md` in a clone)')
})

test('It makes the first organization, and then serves the interface and the console, and delivers', async (context) => {
  const database = await emptyDatabase()
  const receiver = await startReceiver()
  onTestFinished(async () => {
    await receiver.stop()
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
  }
  const init = run(context, [process.execPath, program(), 'init', '--json'], settings)
  expect(await init.ended).toBe(0)
  const { organization_id: id, api_key: apiKey } = JSON.parse(init.output())

  const service = run(context, [process.execPath, program(), 'start'], settings)
  await service.says(/^Ready/m)
  const client = createClient(settings.SIGNET_BASE_URL, '')
  const pages = ['/console/', '/docs/', '/openapi.json', '/readyz'].map((path) =>
    fetch(`${settings.SIGNET_BASE_URL}${path}`),
  )
  expect((await Promise.all(pages)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  await addWebhook(client, { id, apiKey }, receiver.url('/hook'), ['PersonCreated_v1'])
  await client.as({ id, apiKey }, 'POST', '/test-events', [{ event_name: 'PersonCreated' }])
  expect(await receiver.waitFor('/hook', 1)).toHaveLength(1)
  process.kill(service.pid, 'SIGTERM')
  expect(await service.ended).toBe(0)
})

const commands = [
  ...['start', 'init', 'migrate', 'backup', 'restore', 'copy', 'move out', 'keys reencrypt'],
  ...['listen', 'events', 'trigger', 'verify', 'keys', 'doctor', 'export', 'apply', 'completion'],
]
const node20 = nodeOfTheMachine()

test('All commands are there', async (context) => {
  for (const command of commands) {
    const shown = run(context, [process.execPath, program(), ...command.split(' '), '--help'], {})
    expect(await shown.ended).toBe(0)
    expect(shown.output()).toContain(`Usage: signet ${command}`)
  }
})

test.skipIf(!node20)(
  'Under Node 20 those run that need only a service, and the others name the Node they need',
  async (context) => {
    const signet = async (...args: string[]) => {
      const ran = run(context, [node20 ?? '', program(), ...args], {})
      return [await ran.ended, ran.output()]
    }
    expect(await signet('--version')).toEqual([0, '0.1.0\n'])
    expect(await signet('completion', 'bash')).toEqual([0, expect.stringContaining('reencrypt')])
    for (const args of [
      ['init'],
      ['start'],
      ['migrate'],
      ['backup', 'x'],
      ['restore', 'x'],
      ['copy', 'x'],
      ['keys', 'reencrypt'],
      ['move', 'in', 'x'],
    ])
      expect(await signet(...args)).toEqual([2, expect.stringMatching(/^this needs Node 24\.12 or later, .*\n$/)])
    expect((await signet('doctor'))[1]).toMatch(/^unknown +settings: not examined/)
  },
)
