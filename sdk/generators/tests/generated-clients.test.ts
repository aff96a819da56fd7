import { execFile } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Signet, startOwnSignet } from '../../../server/tests/support/signet.ts'

const run = promisify(execFile)
const workspace = join(import.meta.dirname, '..')
const root = join(workspace, '../..')

let signet: Signet
let folder: string
let document: string

beforeAll(async () => {
  signet = await startOwnSignet()
  folder = mkdtempSync(join(tmpdir(), 'signet-generated-'))
  document = join(folder, 'openapi.json')
  writeFileSync(document, await (await fetch(`${signet.baseUrl}/openapi.json`)).text())
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
})

afterAll(async () => {
  await signet?.stop()
  if (folder) rmSync(folder, { recursive: true })
})

/** Strictly, with the TypeScript of the repository; gives what it says. */
async function compile(program: string): Promise<string> {
  copyFileSync(join(import.meta.dirname, program), join(folder, program))
  const strictly = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', 'false', '--noEmit']
  const asNode = ['--target', 'esnext', '--module', 'nodenext', '--allowImportingTsExtensions', '--skipLibCheck']
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
  const { stdout } = await run(
    join(root, 'node_modules/.bin/tsc'),
    ['--ignoreConfig', ...strictly, ...asNode, ...types, join(folder, program)],
    { cwd: folder },
  ).catch((error) => error)
  return stdout
}

test('A program that uses twenty operations of a client by @hey-api/openapi-ts compiles without any, and works', async () => {
  await run(process.execPath, [join(workspace, 'generate.mjs'), document, join(folder, 'client')])
  expect(await compile('program.ts')).toBe('')
  const { id, apiKey } = await signet.organization()
  const env = { ...process.env, BASE_URL: signet.baseUrl, ORGANIZATION: id, API_KEY: apiKey }
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts')], { env })
  expect(JSON.parse(stdout)).toEqual({
    groupName: 'engineering',
    total: 1,
    isActive: true,
    found: 1,
    kept: [],
    type: 'event',
    held: 1,
    event: 'PersonCreated_v1',
    label: 'Staff',
    application: 'Portal',
    key: true,
    keys: 2,
    message: 'group: not found',
  })
})

test('The types by openapi-typescript describe the bodies and replies of twenty operations, none of them as any', async () => {
  const generator = join(workspace, 'node_modules/openapi-typescript/bin/cli.js')
  await run(process.execPath, [generator, document, '--output', join(folder, 'types.gen.d.ts')])
  expect(await compile('types.ts')).toBe('')
})

test('The generated part of sdk/management is what the generator writes for this document, or `npm run generate` writes it anew', async () => {
  const written = join(folder, 'management')
  await run(process.execPath, [join(workspace, 'generate-management.mjs'), document, written])
  expect(filesIn(written)).toEqual(filesIn(join(root, 'sdk/management/src/generated')))
})

/** Their texts by their paths. */
function filesIn(place: string): Record<string, string> {
  const paths = globSync('**/*.ts', { cwd: place }).sort()
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(place, path), 'utf8')]))
}
