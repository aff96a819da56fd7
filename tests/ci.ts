// `.ci/run`: `npm test`, `npm run check`, and then every other suite that needs no package of Debian. A file that fails is run once
// more by itself, passes then as flaky, and is named at the end.
import { spawnSync } from 'node:child_process'
import { missingFor } from './requirements.ts'
import { repository } from './run-files.ts'
import { runSuite } from './run-suite.ts'
import { isInCi, type Suite, suites } from './suites.ts'

/** No suite begins later, which fails the run: CI ends one that takes longer than 90 minutes, and with it what is said here. */
const latestBeginMs = 60 * 60_000
const began = performance.now()
const minutes = () => ((performance.now() - began) / 60_000).toFixed(1)

const said: string[] = []
let isRed = false
const [quick, ...others] = suites.filter(isInCi) as [Suite, ...Suite[]]
await run(quick, ['npm', 'test', '--'])
check()
for (const suite of others) await run(suite)
console.log(`\n${said.join('\n')}\n${isRed ? 'FAILED' : 'Passed'} after ${minutes()} minutes.`)
process.exitCode = isRed ? 1 : 0

async function run(suite: Suite, command?: string[]) {
  const needs = missingFor(suite)
  if (needs) return say(`${suite.name}: not run, needs ${needs}`)
  if (performance.now() - began > latestBeginMs) {
    isRed = true
    return say(`${suite.name}: not run, for ${minutes()} minutes are over`)
  }
  const { files, failed, flaky, seconds } = await runSuite(suite, command)
  isRed ||= failed.length > 0
  say(`${suite.name}: ${files.length} files, ${failed.length} failed, ${flaky.length} flaky, ${seconds} s`)
  for (const { path, title, reason } of failed) say(`  failed twice: ${path} › ${title}: ${reason}`)
  for (const { path, title, reason } of flaky) say(`  flaky: ${path} › ${title}: ${reason}`)
}

function check() {
  const { status } = spawnSync('npm', ['run', 'check'], { cwd: repository, stdio: 'inherit' })
  isRed ||= status !== 0
  say(`npm run check: ${status === 0 ? 'passed' : 'failed'}`)
}

function say(line: string) {
  said.push(line)
  console.log(line)
}
