import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository, temporaryFolder } from '../support/program.ts'
import { type OwnSignet, startOwnSignet } from '../support/signet.ts'

type Sample = { label: string; source: string }
let signet: OwnSignet
let samples: Record<string, Sample[]>

beforeAll(async () => {
  signet = await startOwnSignet()
  const { paths } = (await signet.call('GET', '/openapi.json')).body
  type Described = { operationId: string; 'x-codeSamples': Sample[] }
  const operations = Object.values<Record<string, Described>>(paths).flatMap((path) => Object.values(path))
  samples = Object.fromEntries(operations.map((each) => [each.operationId, each['x-codeSamples']]))
})

afterAll(() => signet?.stop())

const sourcesOf = (label: string) =>
  Object.entries(samples).flatMap(([id, all]) =>
    all.filter((each) => each.label === label).map(({ source }) => ({ id, source })),
  )

test('Each operation has a sample for curl, which a shell reads and which sends only what is needed', () => {
  const shell = sourcesOf('curl')
  expect(shell.map(({ id }) => id)).toEqual(Object.keys(samples))
  for (const { id, source } of shell) {
    execFileSync('bash', ['-n'], { input: source })
    expect(source, id).not.toMatch(/Consistency|YOUR_|undefined/)
  }
})

test('The samples for the management client compile as they are', (context) => {
  const folder = temporaryFolder(context)
  mkdirSync(join(folder, 'samples'))
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const options = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { lib: ['esnext', 'dom'], exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false },
    include: ['samples'],
    exclude: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const all = sourcesOf('@signet/management')
  expect(all.length).toBeGreaterThan(60)
  for (const { id, source } of all) writeFileSync(join(folder, 'samples', `${id}.ts`), `${source}\n`)
  expect(spawnSync('tsc', ['-p', '.'], { cwd: folder, encoding: 'utf8' })).toMatchObject({ stdout: '', status: 0 })
})

test('A sample does what its operation does', async () => {
  const { id, apiKey } = await signet.organization()
  const env = { PATH: process.env.PATH, SIGNET_ORGANIZATION_ID: id, SIGNET_API_KEY: apiKey }
  const run = (operation: string) => {
    const source = samples[operation]?.find(({ label }) => label === 'curl')?.source
    return JSON.parse(execFileSync('bash', ['-c', source ?? ''], { env, encoding: 'utf8', stdio: 'pipe' }))
  }
  expect(run('createGroup').result.name).toBe('engineering')
  expect(run('listGroups').result).toEqual(['engineering'])
})
