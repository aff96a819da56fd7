import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ErrorCode, errorCodes, notFoundCode, type Thing } from '../../src/ground/error-codes.ts'
import * as errors from '../../src/ground/errors.ts'
import { repository } from '../support/program.ts'

const codes = Object.keys(errorCodes) as ErrorCode[]
const sources = globSync('server/src/**/*.ts', { cwd: repository })
  .filter((path) => !/\.test\.ts$|error-codes\.ts$/.test(path))
  .map((path) => readFileSync(join(repository, path), 'utf8'))

/** What stands in the message before what differs from case to case. */
const fixedPart = (message: string) => (message.split(/\$\{|[0-9]| \.\.\. /, 1)[0] ?? '').trim()

const hasWords = ({ code, message }: Pick<errors.Problem, 'code' | 'message'>) =>
  errorCodes[code].words.some((words) => words.includes(fixedPart(message)))

test('The catalogue has every refusal whose words are fixed, at its code', () => {
  const makers = Object.values<unknown>(errors).filter((each) => typeof each === 'function' && each.length === 0)
  const made = makers.map((make) => (make as () => unknown)()).filter((each) => each instanceof errors.ApiError)
  const problems = made.flatMap((error) => error.problems).filter(({ message }) => message)
  expect(problems.length).toBeGreaterThan(15)
  expect(problems.filter((problem) => !hasWords(problem))).toEqual([])
})

test('The catalogue has what each operation refuses besides wrong input, at its code', () => {
  const refusal = /\b(?:conflict|forbidden|gone|badRequest)\(\s*'(\w+)',\s*['`]([^'`]+)['`]/g
  const said = sources.flatMap((source) => [...source.matchAll(refusal)])
  const problems = said.map(([, code, message = '']) => ({ code: code as ErrorCode, message }))
  const besides = problems.filter(({ code }) => code !== 'invalid_value')
  expect(besides.length).toBeGreaterThan(60)
  expect(besides.filter((problem) => !hasWords(problem))).toEqual([])
})

test('Each code is that of some refusal', () => {
  const things = sources.flatMap((source) =>
    [...source.matchAll(/\bnotFound\(\s*'([^']+)'/g)].map(([, thing]) => thing),
  )
  const refused = new Set<string>(things.map((thing) => notFoundCode(thing as Thing)))
  const made = new Set(
    sources.flatMap((source) => [...source.matchAll(/(?:\(|\d,|code:)\s*'(\w+)'/g)].map(([, code]) => code)),
  )
  const isDead = (code: ErrorCode) => !refused.has(code) && !made.has(code)
  expect(codes.filter(isDead)).toEqual([])
})

test('A code is short snake case, so that those of one answer fit in a header', () => {
  expect(codes.filter((code) => !/^[a-z]+(_[a-z]+){0,4}$/.test(code) || code.length > 30)).toEqual([])
})

test('One answer lists no more problems than its header takes', () => {
  const many = errors.badRequest('invalid_value', ...Array(1_000).fill('a: must be b'))
  expect(many.problems).toHaveLength(errors.maxProblems)
})
