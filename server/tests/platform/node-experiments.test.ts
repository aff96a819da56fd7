import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { argumentsOfNode } from '../../src/start/arguments-of-node.ts'
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

test('Node has the same arguments in a command, in `npm start` and in the image', () => {
  const read = (name: string) => readFileSync(join(repository, name), 'utf8')
  const given = argumentsOfNode.map((each) => (each.startsWith('--') ? each : relative(repository, each)))
  expect(
    JSON.parse(read('package.json'))
      .scripts.start.replace(/^.*exec node /, '')
      .split(' '),
  ).toEqual(given)
  expect(JSON.parse(/^CMD (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '')).toEqual(['node', ...given])
})
