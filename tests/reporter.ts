import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** What a run of vitest came to. `failures` of a file: by the title of a test, or what failed around its tests. */
export type Report = { files: FileReport[]; failures: Failure[] }
export type FileReport = { path: string; passed: number; skipped: number; failures: Failure[] }
export type Failure = { title: string; reason: string }
type Thrown = { message?: string | undefined; VITEST_TEST_PATH?: string }

const around = 'around its tests'
/** The title where a file has not come to its end: its worker was killed, say. */
export const cutOff = 'did not end'

/** Writes a `Report` to the file that SIGNET_TEST_REPORT names. vitest calls it with `new`. */
export default function reporter(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const report: Report = { files: modules.map(fileReport), failures: [] }
      for (const error of errors as readonly Thrown[]) {
        const file = report.files.find(({ path }) => path === pathOf(error.VITEST_TEST_PATH ?? ''))
        ;(file ?? report).failures.push({ title: around, reason: reasonOf([error]) })
      }
      writeFileSync(process.env.SIGNET_TEST_REPORT as string, JSON.stringify(report))
    },
  }
}

function fileReport(module: TestModule): FileReport {
  const tests = [...module.children.allTests()]
  const count = (state: string) => tests.filter((test) => test.result().state === state).length
  const failures = tests.flatMap((test) => {
    const { state, errors } = test.result()
    return state === 'failed' ? [{ title: test.fullName, reason: reasonOf(errors ?? []) }] : []
  })
  if (!module.ok() && failures.length === 0)
    failures.push({ title: around, reason: reasonOf([...module.errors(), ...suiteErrors(module)]) })
  // vitest takes such a file for no failure.
  if (isCutOff(module, count('pending')))
    failures.push({ title: cutOff, reason: `${count('pending')} of its ${tests.length} tests have no result` })
  return { path: pathOf(module.moduleId), passed: count('passed'), skipped: count('skipped'), failures }
}

const isCutOff = (module: TestModule, pending: number) => pending > 0 || /^(queued|pending)$/.test(module.state())

const pathOf = (file: string) => relative(process.cwd(), file)

const suiteErrors = (module: TestModule) => [...module.children.allSuites()].flatMap((suite) => [...suite.errors()])

/** Its first line. */
const reasonOf = (errors: readonly Thrown[]): string =>
  (errors[0]?.message ?? 'it says no reason').split('\n')[0]?.slice(0, 200) ?? ''
