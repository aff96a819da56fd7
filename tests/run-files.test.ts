import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Report } from './reporter.ts'
import { repository, runFiles } from './run-files.ts'

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** By vitest itself, in a folder of its own. */
function reportOn(files: Record<string, string>): Report {
  const folder = folderWith({ 'package.json': '{ "type": "module" }', ...files })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const SIGNET_TEST_REPORT = join(folder, 'report.json')
  const reporter = `--reporter=${join(repository, 'tests/reporter.ts')}`
  try {
    execFileSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', reporter], {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, SIGNET_TEST_REPORT },
    })
  } catch {
    // It has failed, which the report tells.
  }
  return JSON.parse(readFileSync(SIGNET_TEST_REPORT, 'utf8'))
}

/** As if vitest had run these files and written that. */
function runReported(report: Report, code: number) {
  const folder = folderWith({ 'report.json': JSON.stringify(report) })
  const command = ['sh', '-c', `cp ${join(folder, 'report.json')} "$SIGNET_TEST_REPORT"; exit ${code}`]
  return runFiles(
    report.files.map(({ path }) => path),
    { command, limitMs: 60_000 },
  )
}

const passed = (path: string) => ({ path, passed: 1, skipped: 0, failures: [] })
const bothPassed = [passed('a.test.ts'), passed('b.test.ts')]

test('A file whose worker was killed is a failure of that file, and not of another one', () => {
  const test = "import { test } from 'vitest'\n"
  const { files } = reportOn({
    'a.test.ts': `${test}test('passes', () => {})`,
    'b.test.ts': `${test}test('ends', async () => { process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}) })`,
  })
  expect(files.map(({ path, failures }) => [path, failures.map(({ title }) => title)]).sort()).toEqual([
    ['a.test.ts', []],
    ['b.test.ts', ['did not end']],
  ])
})

test('A failure of which nobody knows the file stays one, whatever passes afterwards', async () => {
  const failures = [{ title: 'around its tests', reason: 'an error of nobody' }]
  const { failed, flaky } = await runReported({ files: bothPassed, failures }, 1)
  expect(failed).toEqual([{ path: 'no file', ...failures[0] }])
  expect(flaky).toEqual([])
})

test('A run that vitest itself calls failed is one, although each of its files passed', async () => {
  expect((await runReported({ files: bothPassed, failures: [] }, 0)).failed).toEqual([])
  expect((await runReported({ files: bothPassed, failures: [] }, 1)).failed).toEqual([
    { path: 'no file', title: 'all passed', reason: 'but vitest ended with 1' },
  ])
})

test('A suite without files is a failure, and runs no others', async () => {
  const { files, failed } = await runFiles([], { command: ['false'], limitMs: 60_000 })
  expect(files).toEqual([])
  expect(failed.map(({ title }) => title)).toEqual(['not run'])
})
