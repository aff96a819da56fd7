import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutOff, type Failure, type FileReport, type Report } from './reporter.ts'

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
  /** What failed both times; and what nobody knows the file of, for which no file can be run again. */
  failed: Failed[]
  seconds: number
}
export type Failed = Failure & { path: string }

/** So many failures are no chance, and would take hours to repeat one by one. */
const mostReruns = 15

/** In place of a path. */
const noFile = 'no file'

/** Runs these files, and each that failed once more by itself. Where there are none, that has failed: vitest would run all. */
export async function runFiles(paths: string[], way: Way): Promise<Outcome> {
  if (paths.length === 0)
    return { files: [], failed: [withoutFile(notRun('there are no such files'))], flaky: [], seconds: 0 }
  const began = performance.now()
  const first = await runOnce(paths, way)
  const again = failuresOf(first.files)
  const suspects = [...new Set(again.map(({ path }) => path))]
  const second: FileReport[] = []
  if (suspects.length <= mostReruns)
    for (const path of suspects) {
      console.log(`\nOnce more, alone: ${path}`)
      second.push(...(await runOnce([path], { ...way, command: undefined, workers: 1 })).files)
    }
  const files = first.files.map((file) => second.find(({ path }) => path === file.path) ?? file)
  const failed = [...failuresOf(files), ...first.failures.map(withoutFile)]
  const isFailed = ({ path, title }: Failed) => failed.some((one) => one.path === path && one.title === title)
  const seconds = Math.round((performance.now() - began) / 1_000)
  return { files, failed, flaky: again.filter((failure) => !isFailed(failure)), seconds }
}

const failuresOf = (files: FileReport[]): Failed[] =>
  files.flatMap(({ path, failures }) => failures.map((failure) => ({ path, ...failure })))

const withoutFile = (failure: Failure): Failed => ({ path: noFile, ...failure })

const notRun = (reason: string): Failure => ({ title: 'not run', reason })

/** A file that vitest says nothing of has failed, and so has each where vitest itself ended early. `failures`: of no known file. */
async function runOnce(paths: string[], { command, within = [], env, workers, limitMs }: Way): Promise<Report> {
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
  const ended = signal ? `stopped after ${limitMs / 60_000} minutes` : `vitest ended with ${code}`
  const files = paths.map(
    (path) =>
      report.files.find((file) => file.path === path) ?? emptyReport(path, notRun(`${ended} and did not run it`)),
  )
  return assign(files, report.failures, code === 0 ? undefined : ended)
}

/** To the only file, or to those that did not end, belongs what vitest names no file for. `ended`: where vitest says that it failed. */
function assign(files: FileReport[], failures: Failure[], ended: string | undefined): Report {
  const suspects =
    files.length === 1 ? files : files.filter((file) => file.failures.some(({ title }) => title === cutOff))
  const isExplained = failures.length > 0 || failuresOf(files).length > 0
  const all = ended && !isExplained ? [{ title: 'all passed', reason: `but ${ended}` }] : failures
  for (const file of suspects) file.failures.push(...all)
  return { files, failures: suspects.length > 0 ? [] : all }
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
