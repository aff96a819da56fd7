import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Failure, FileReport, Report } from './reporter.ts'

export const repository = join(import.meta.dirname, '..')
const vitest = join(repository, 'node_modules/vitest/vitest.mjs')

export type Way = {
  /** Runs these files in place of vitest, such as `npm test --`. */
  command?: string[] | undefined
  /** What vitest is run by. */
  within?: string[] | undefined
  env?: NodeJS.ProcessEnv
  workers?: number | undefined
  /** Of one run of vitest: what hangs must not keep the others out. */
  limitMs: number
}
export type Outcome = {
  files: FileReport[]
  /** What failed at first and passed when its file ran alone. */
  flaky: Failed[]
  /** What failed both times. */
  failed: Failed[]
  seconds: number
}
export type Failed = Failure & { path: string }

/** So many failures are no chance, and would take hours to repeat one by one. */
const mostReruns = 15

/** Runs these files, and each that failed once more by itself. */
export async function runFiles(paths: string[], way: Way): Promise<Outcome> {
  const began = performance.now()
  const first = await runOnce(paths, way)
  const again = failuresOf(first)
  const suspects = [...new Set(again.map(({ path }) => path))]
  const second: FileReport[] = []
  if (suspects.length <= mostReruns)
    for (const path of suspects) {
      console.log(`\nOnce more, alone: ${path}`)
      second.push(...(await runOnce([path], { ...way, command: undefined, workers: 1 })))
    }
  const files = first.map((file) => second.find(({ path }) => path === file.path) ?? file)
  const failed = failuresOf(files)
  const isFailed = ({ path, title }: Failed) => failed.some((one) => one.path === path && one.title === title)
  const seconds = Math.round((performance.now() - began) / 1_000)
  return { files, failed, flaky: again.filter((failure) => !isFailed(failure)), seconds }
}

const failuresOf = (files: FileReport[]): Failed[] =>
  files.flatMap(({ path, failures }) => failures.map((failure) => ({ path, ...failure })))

/** A file that vitest says nothing of has failed, and so has each where vitest itself ended early. */
async function runOnce(paths: string[], { command, within = [], env, workers, limitMs }: Way): Promise<FileReport[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signet-report-'))
  const SIGNET_TEST_REPORT = join(folder, 'report.json')
  const [program = '', ...args] = command ?? [...within, process.execPath, vitest, 'run', ...paths]
  const reporters = ['--reporter=default', '--reporter=./tests/reporter.ts']
  // What takes minutes says meanwhile what it does.
  if (!command) reporters.push('--silent=false', '--disable-console-intercept')
  const child = spawn(program, [...args, ...reporters, ...(workers ? [`--maxWorkers=${workers}`] : [])], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env, SIGNET_TEST_REPORT },
    timeout: limitMs,
  })
  const [code, signal] = await once(child, 'exit')
  const report = read(SIGNET_TEST_REPORT)
  rmSync(folder, { recursive: true })
  const missing = signal ? `stopped after ${limitMs / 60_000} minutes` : `vitest ended with ${code} and did not run it`
  const files = paths.map(
    (path) =>
      report.files.find((file) => file.path === path) ?? emptyReport(path, { title: 'not run', reason: missing }),
  )
  // Nobody knows of which file they are.
  if (report.failures[0]) files[0]?.failures.push(...report.failures)
  return files
}

const emptyReport = (path: string, failure: Failure): FileReport => ({
  path,
  passed: 0,
  skipped: 0,
  failures: [failure],
})

function read(path: string): Report {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { files: [], failures: [] }
  }
}
