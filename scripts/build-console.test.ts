import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'signet-console-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('Where the console cannot be built, one line says so, and Signet starts; with --strict that is a failure', () => {
  for (const name of ['scripts', 'console/src', 'sdk/management/src', 'examples'])
    mkdirSync(join(folder, name), { recursive: true })
  for (const name of ['console/index.html', 'console/package.json', 'console/vite.config.ts', 'package-lock.json'])
    writeFileSync(join(folder, name), '')
  cpSync(join(import.meta.dirname, 'build-console.mjs'), join(folder, 'scripts/build-console.mjs'))
  const build = (...args: string[]) =>
    spawnSync(process.execPath, [join(folder, 'scripts/build-console.mjs'), ...args], { encoding: 'utf8' })
  const { status, stdout, stderr } = build()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(
    /^Building the console…\nThe console could not be built, and Signet starts without it: .*'vite'.*\n$/,
  )
  expect(build('--strict').status).toBe(1)
})
