import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const programs = ['build-pages', 'build-console', 'build-help', 'build-when-changed'].map((name) => `${name}.mjs`)
const folder = mkdtempSync(join(tmpdir(), 'signet-pages-'))
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

const run = (program: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(folder, 'scripts', program), ...args], { encoding: 'utf8' })
const build = (...args: string[]) => run('build-pages.mjs', ...args)

beforeAll(() => {
  for (const name of [
    'scripts',
    'console/src/design',
    'sdk/management/src',
    'examples',
    'docs/pictures',
    'help/src/pages',
  ])
    mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['console/index.html', 'console/package.json', 'console/vite.config.ts', 'package-lock.json'])
    write(name, '')
  write('package.json', '{}')
  for (const name of programs) cpSync(join(import.meta.dirname, name), join(folder, 'scripts', name))
})

afterAll(() => rmSync(folder, { recursive: true }))

test('Where neither can be built, a line for each says so, and Signet starts; with --strict that is a failure', () => {
  const { status, stdout, stderr } = build()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [building, console, help, ...rest] = stdout.split('\n')
  expect(building).toBe('Building the console…')
  expect(console).toMatch(/^The console could not be built, and Signet starts without it: .*'vite'/)
  expect(help).toMatch(/^The help could not be built, and Signet starts without it: .*sources\.ts/)
  expect(rest).toEqual([''])
  expect(build('--strict').status).toBe(1)
  expect(run('build-help.mjs', '--strict').status).toBe(1)
})

test('What is built is written whole, and again only where a source changed; what was built before stays where that fails', () => {
  write('help/src/pages/sources.ts', `export const readSources = () => [{ path: 'docs/page.md' }]`)
  write('docs/page.md', 'One')
  write(
    'help/src/index.ts',
    `import { readFileSync } from 'node:fs'
export async function makeSite(root) {
  const text = readFileSync(root + '/docs/page.md', 'utf8')
  if (text === 'Broken') throw new Error('no page\\nin detail')
  return new Map([['index.html', text], ['assets/' + text + '.css', text]])
}`,
  )
  const built = (name: string) => join(folder, 'help/dist', name)
  expect(run('build-help.mjs').stdout).toMatch(/^Building the help…\nBuilt the help in [\d.]+ s\.\n$/)
  expect(readFileSync(built('index.html'), 'utf8')).toBe('One')
  expect(run('build-help.mjs').stdout).toBe('')

  write('docs/page.md', 'Two')
  run('build-help.mjs')
  expect(readFileSync(built('index.html'), 'utf8')).toBe('Two')
  expect(readdirSync(built('assets'))).toEqual(['Two.css'])

  write('docs/page.md', 'Broken')
  const { status, stdout } = run('build-help.mjs')
  expect(status).toBe(0)
  expect(stdout).toContain('The help could not be built, and Signet starts with what was built before: no page\n')
  expect(readFileSync(built('index.html'), 'utf8')).toBe('Two')
  expect(existsSync(built('assets/Two.css'))).toBe(true)
})
