import { execFileSync } from 'node:child_process'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeOfTheMachine } from '../../server/tests/support/node-of-the-machine.ts'
import { buildLibraryPackage, type Library, libraries as names } from './build-library-package.ts'
import { packPackage } from './build-packages.ts'
import { deadLinksIn, faultsByPublint, faultsOfTypes, installsFromRegistry, unwantedFilesIn } from './package-checks.ts'

const root = join(import.meta.dirname, '../..')

/** What a user of each writes. `tsc` reads it, and every Node runs it. */
const uses: Record<Library, string> = {
  browser: `
import * as signet from '@signet/browser'
const names: string[] = Object.keys(signet)
console.log(names.length > 0)
`,
  management: `
import { Signet, SignetError } from '@signet/management'

const event = { event_metadata: { event_id: 'a', event_name: 'PersonDeleted_v1' }, groups: ['staff'] }
const headers = { 'Content-Type': 'text/event-stream' }
const service: typeof fetch = async (input) =>
  (input as Request).url.includes('/events')
    ? new Response('id: 7\\ndata: ' + JSON.stringify(event) + '\\n\\n', { headers })
    : Response.json({ errors: [{ httpcode: 404, message: 'group: not found' }] }, { status: 404 })
const signet = new Signet({ baseUrl: 'https://id.example', organizationId: 'a', apiKey: 'b', fetch: service })
const refusal: unknown = await signet.getGroup({ path: { group_name: 'staff' } }).catch((error: unknown) => error)
const isRefused = refusal instanceof SignetError && refusal.errors[0]?.message === 'group: not found'
const groups: string[] = []
for await (const { cursor, event_name, event } of signet.followEvents({ eventNames: ['Person*'] })) {
  if (event_name === 'PersonDeleted_v1') groups.push(cursor, ...event.groups)
  break
}
console.log(isRefused && groups.join() === '7,staff')
`,
  webhooks: `
import { nodeHandler, verifyWebhook, WebhookError } from '@signet/webhooks'
import { createTestSender } from '@signet/webhooks/testing'

const receiver = { issuer: 'https://a.example', organizationId: 'b', targetUrl: 'https://c.example/' }
const sender = await createTestSender(receiver)
const content = { person_id: 'd', region: 'local', handles: [], groups: ['staff'] }
const body = await sender.sign('PersonDeleted_v1', content)
const webhook = await verifyWebhook(body, { ...receiver, keySet: sender.keySet })
const groups: string[] = webhook.trigger_name === 'PersonDeleted_v1' ? webhook.trigger_content.groups : []
const other = { ...receiver, keySet: sender.keySet, organizationId: 'e' }
const refusal: unknown = await verifyWebhook(body, other).catch((error: unknown) => error)
const isRefused = refusal instanceof WebhookError && refusal.code === 'wrong_audience'
console.log(groups.join() === 'staff' && isRefused && typeof nodeHandler === 'function')
`,
}

const userTsconfig = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom'],
    types: [],
    strict: true,
    // The types that are shipped are to be right by themselves.
    skipLibCheck: false,
    noEmit: true,
  },
  files: names.map((name) => `${name}.ts`),
}

let folder: string
/** Path of each .tgz. */
const packed: Record<string, string> = {}
let project: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-packages-'))
  for (const name of names) {
    await buildLibraryPackage(name, join(folder, name))
    packed[name] = packPackage(join(folder, name), join(folder, 'packed')).path
  }
  project = install()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const npm = (args: string[], cwd: string) => execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' })

/** An empty project with nothing but these in it; jose, which the registry would give, comes from this repository. */
function install(): string {
  const place = mkdtempSync(join(folder, 'project-'))
  const ours = names.map((name) => [`@signet/${name}`, `file:${packed[name]}`])
  const dependencies = {
    ...Object.fromEntries(ours),
    jose: `file:${packPackage(join(root, 'node_modules/jose'), folder).path}`,
  }
  writeFileSync(join(place, 'package.json'), JSON.stringify({ type: 'module', private: true, dependencies }))
  npm(['install', '--offline', '--no-audit', '--no-fund'], place)
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(userTsconfig))
  for (const name of names) {
    writeFileSync(join(place, `${name}.ts`), uses[name])
    writeFileSync(join(place, `${name}.js`), stripTypeScriptTypes(uses[name]))
  }
  return place
}

describe.each(names)('The package @signet/%s', (name) => {
  test('The packed file is named by its version, and npm copies it into a project instead of linking it', () => {
    expect(packed[name]).toMatch(new RegExp(`/signet-${name}-\\d+\\.\\d+\\.\\d+\\.tgz$`))
    expect(lstatSync(join(project, 'node_modules/@signet', name)).isSymbolicLink()).toBe(false)
  })

  test('Publint has no objection to the package', async () => {
    expect(await faultsByPublint(packed[name] ?? '')).toEqual([])
  })

  test('The package says what a registry needs, and has neither sources nor links to what is not in it', () => {
    const place = join(project, 'node_modules/@signet', name)
    const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ license: 'Apache-2.0', sideEffects: false, description: expect.any(String) })
    for (const member of ['private', 'scripts', 'repository', 'homepage']) expect(manifest).not.toHaveProperty(member)
    expect(unwantedFilesIn(place)).toEqual([])
    expect(readFileSync(join(place, 'README.md'), 'utf8')).toMatch(installsFromRegistry(`@signet/${name}`))
    expect(deadLinksIn(join(place, 'README.md'))).toEqual([])
  })

  test("Arethetypeswrong resolves the package's types wherever ES modules are resolved", async () => {
    expect(readdirSync(join(project, 'node_modules/@signet', name)).some((file) => file.endsWith('.d.ts'))).toBe(true)
    expect(await faultsOfTypes(packed[name] ?? '')).toEqual([])
  })
})

test('The types of all packages compile in a strict project', () => {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: project, stdio: 'inherit' })
})

const node20 = nodeOfTheMachine()
const nodes: [string, string | undefined][] = [
  ['the pinned Node', process.execPath],
  [node20 ? 'the Node 20 of this machine' : 'Node 20, which this machine does not have', node20],
]

describe.each(nodes)('The packages under %s', (_, node) => {
  test.skipIf(!node).each(names)('@signet/%s works when it is installed from its file', (name) => {
    const output = execFileSync(node ?? '', [`${name}.js`], { cwd: project, encoding: 'utf8' })
    expect(output).toBe('true\n')
  })
})

test('The script of @signet/browser for pages defines a single global and is under 5 kB gzipped', () => {
  const page: { Signet?: object } = {}
  runInNewContext(readFileSync(join(folder, 'browser/signet.min.js'), 'utf8'), page)
  expect(Object.keys(page)).toEqual(['Signet'])
  expect(Object.keys(page.Signet ?? {})).not.toEqual([])
})
