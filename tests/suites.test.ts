import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createVitest } from 'vitest/node'
import { allFiles } from './run-suite.ts'
import { filesOf, isInCi, type Suite, suites } from './suites.ts'

const all = allFiles()

describe('The suites', () => {
  test('Each test file of the repository belongs to exactly one suite, besides repetitions', () => {
    expect(all.length).toBeGreaterThan(250)
    const owners = all.map((path) => ({
      path,
      suites: suites
        .filter((suite) => !suite.isRepetition && filesOf(suite, [path]).length > 0)
        .map(({ name }) => name),
    }))
    expect(owners.filter((owner) => owner.suites.length !== 1)).toEqual([])
  })

  test('Each suite has files, and a name of its own', () => {
    expect(suites.filter((suite) => filesOf(suite, all).length === 0)).toEqual([])
    expect(new Set(suites.map(({ name }) => name)).size).toBe(suites.length)
  })

  test('Each test file is one that vitest finds', async () => {
    const vitest = await createVitest('test', { watch: false, reporters: [] })
    const found = await vitest.getRelevantTestSpecifications()
    await vitest.close()
    const paths = found.map(({ moduleId }) => moduleId)
    expect(all.filter((path) => paths.filter((each) => each.endsWith(`/${path}`)).length !== 1)).toEqual([])
  })

  test('No module of the tests registers hooks when it is loaded, for it is loaded once for many files', () => {
    const shared = globSync('{cli,console,sdk,server}/**/support/**/*.ts', { exclude: ['**/node_modules'] })
    expect(shared.length).toBeGreaterThan(100)
    const registering = shared.filter((path) => /^(before|after)(All|Each)\(/m.test(readFileSync(path, 'utf8')))
    expect(registering).toEqual([])
  })

  test('`npm test` runs the first suite, with a kill of processes among it, and CI begins with it', () => {
    const [quick] = suites.filter(isInCi) as [Suite]
    expect(quick.name).toBe('quick')
    expect(filesOf(quick, all)).toContain('server/tests/processes/random-faults.test.ts')
  })
})
