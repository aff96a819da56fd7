import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/program.ts'

/** What `program` prints, run by Node in the repository. */
const printed = (program: string, ...options: string[]) =>
  execFileSync(process.execPath, [...options, '--input-type=module', '--eval', program], {
    cwd: repository,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  }).trim()

test('A last collection gives back the memory of what is not used any more', () => {
  const program = `
    import { collectGarbage } from './server/src/ground/runtime/collect-garbage.ts'
    let list = Array.from({ length: 200_000 }, (_, at) => ({ at, text: 'x'.repeat(50) + at }))
    const before = process.memoryUsage().heapTotal
    list = undefined
    collectGarbage()
    console.log(before - process.memoryUsage().heapTotal)`
  expect(Number(printed(program, '--expose-gc', '--max-semi-space-size=32'))).toBeGreaterThan(15_000_000)
})

test('A program takes the place of the one that started it, under the same process id', () => {
  const second = 'console.log(process.pid, process.env.KEPT)'
  const program = `
    console.log(process.pid)
    process.execve(process.execPath, [process.execPath, '--eval', '${second}'], { KEPT: 'kept' })`
  const [first, after] = printed(program).split('\n')
  expect(after).toBe(`${first} kept`)
})

test('Compiled code is kept in the folder that is given', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signet-cache-'))
  const program = `
    import { constants, enableCompileCache } from 'node:module'
    const { status, directory } = enableCompileCache('${folder}')
    console.log(status === constants.compileCacheStatus.ENABLED, directory.startsWith('${folder}'))`
  expect(printed(program)).toBe('true true')
  rmSync(folder, { recursive: true })
})
