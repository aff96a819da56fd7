import { execFileSync } from 'node:child_process'
import { programsOf } from './postgres-programs.ts'
import { type Outcome, repository, runFiles, type Way } from './run-files.ts'
import { filesOf, type Suite } from './suites.ts'

const hour = 3_600_000
const longMs = 3 * hour

/** Every test file of the repository. */
export const allFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts', '*.test.tsx'], {
    cwd: repository,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)

/** `command`: what runs its files, if not vitest itself. */
export const runSuite = (suite: Suite, command?: string[]): Promise<Outcome> =>
  runFiles(filesOf(suite, allFiles()), { ...wayOf(suite), ...(command && { command }) })

function wayOf({ server, isLong, workers, within }: Suite): Way {
  const env = {
    ...(isLong && { SIGNET_TEST_FORM: 'long' }),
    ...(server && { SIGNET_TEST_SERVER: programsOf(server) }),
  }
  return { env, workers, within, limitMs: longMs }
}
