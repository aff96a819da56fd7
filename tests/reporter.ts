import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** What a run of vitest came to. `failures` of a file: by the title of a test, or what failed around its tests. */
export type Report = { files: FileReport[]; failures: Failure[] }
export type FileReport = { path: string; passed: number; skipped: number; failures: Failure[] }
export type Failure = { title: string; reason: string }
type Thrown = { message?: string | undefined; VITEST_TEST_PATH?: string }

const around = 'around its tests'

/** Writes a `Report` to the file that SIGNET_TEST_REPORT names. vitest calls it with `new`. */
export default function reporter(): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const report: Report = { files: modules.map(fileReport), failures: [] }
      for (const error of errors as readonly Thrown[]) {
        const file = report.files.find(({ path }) => error.VITEST_TEST_PATH?.endsWith(path))
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
  const path = relative(process.cwd(), module.moduleId)
  return { path, passed: count('passed'), skipped: count('skipped'), failures }
}

const suiteErrors = (module: TestModule) => [...module.children.allSuites()].flatMap((suite) => [...suite.errors()])

/** Its first line. */
const reasonOf = (errors: readonly Thrown[]): string =>
  (errors[0]?.message ?? 'it says no reason').split('\n')[0]?.slice(0, 200) ?? ''
