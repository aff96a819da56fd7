import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeOfTheMachine } from '../../server/tests/support/node-of-the-machine.ts'
import { buildCliPackage } from './build-cli-package.ts'
import { packPackage } from './build-packages.ts'
import { deadLinksIn, faultsByPublint, installsFromRegistry, unwantedFilesIn } from './package-checks.ts'

const root = join(import.meta.dirname, '../..')
let folder: string
let packed: string
let installed: string

type Manifest = { bin: Record<string, string>; dependencies: Record<string, string> }
const manifest = (): Manifest => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-cli-package-'))
  await buildCliPackage(join(folder, 'built'))
  packed = packPackage(join(folder, 'built'), folder).path
  execFileSync('tar', ['-xzf', packed, '-C', folder])
  const modules = join(folder, 'project/node_modules')
  mkdirSync(join(modules, '@signet'), { recursive: true })
  installed = join(modules, '@signet/cli')
  renameSync(join(folder, 'package'), installed)
  for (const name of Object.keys(manifest().dependencies)) {
    const [place] = name === 'commander' ? ['cli'] : ['.']
    symlinkSync(join(root, place ?? '', 'node_modules', name), join(modules, name))
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

test('The package has one program, which npx finds by the name of the package, and needs three small packages', async () => {
  expect(Object.keys(manifest().bin)).toEqual(['signet-cli'])
  expect(Object.keys(manifest().dependencies)).toEqual(['commander', 'picocolors', 'yaml'])
  expect(await faultsByPublint(packed)).toEqual([])
  expect(unwantedFilesIn(installed)).toEqual([])
  expect(readFileSync(join(installed, 'README.md'), 'utf8')).toMatch(installsFromRegistry('@signet/cli'))
  expect(deadLinksIn(join(installed, 'README.md'))).toEqual([])
})

const nodes = [process.execPath, nodeOfTheMachine()].filter((node) => node !== undefined)

describe.each(nodes)('Under %s', (node) => {
  const signet = (...args: string[]) =>
    execFileSync(node, [join(installed, manifest().bin['signet-cli'] ?? ''), ...args], { encoding: 'utf8' })

  test('The program calls itself by its own name, in help, examples and completion', () => {
    expect(signet('--help')).toContain('Usage: signet-cli [options] [command]')
    for (const command of ['listen', 'events', 'trigger', 'verify', 'keys', 'export', 'apply', 'doctor', 'completion'])
      expect(signet(command, '--help')).not.toMatch(/signet(?= [a-z])(?<!signet-cli)/)
    expect(signet('listen', '--help')).toContain('$ signet-cli listen --forward-to http://localhost:3000/hook\n')
    expect(signet('completion', 'bash')).toContain('complete -o default -F _signet-cli signet-cli\n')
    expect(signet('completion', 'fish')).not.toMatch(/complete -c signet /)
  })

  test('It has no command that needs the code of the service', () => {
    expect(signet('--help')).not.toMatch(/^ {2}(start|dev|init|migrate|backup)/m)
  })
})
