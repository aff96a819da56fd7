import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as errors from '../../src/ground/errors.ts'
import { repository } from '../support/program.ts'

const page = readFileSync(join(repository, 'docs/reference/errors.md'), 'utf8')
const sources = globSync('server/src/**/*.ts', { cwd: repository }).filter((path) => !/\.test\.ts$/.test(path))

/** What stands in the message before what differs from case to case. */
const fixedPart = (message: string) => (message.split(/\$\{|[0-9]| \.\.\. /, 1)[0] ?? '').trim()

test('The catalogue has every refusal whose words are fixed', () => {
  const makers = Object.values<unknown>(errors).filter((each) => typeof each === 'function' && each.length === 0)
  const made = makers.map((make) => (make as () => unknown)()).filter((each) => each instanceof errors.ApiError)
  const messages = made.flatMap(({ problems }) => problems.map(({ message }) => message)).filter(Boolean)
  expect(messages.length).toBeGreaterThan(15)
  expect(messages.filter((message) => !page.includes(fixedPart(message)))).toEqual([])
})

test('The catalogue has what each operation refuses besides wrong input', () => {
  const refusal = /\b(?:conflict|forbidden|gone|notFound)\(\s*['`]([^'`]+)['`]/g
  const said = sources.flatMap((path) =>
    [...readFileSync(join(repository, path), 'utf8').matchAll(refusal)].map(([, message = '']) => fixedPart(message)),
  )
  expect(said.length).toBeGreaterThan(40)
  expect(said.filter((message) => !page.includes(`${message}`))).toEqual([])
})
