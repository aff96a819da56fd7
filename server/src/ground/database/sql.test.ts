import { expect, test } from 'vitest'
import { fragment, sql, unnamed } from './sql.ts'

test('Values become parameters, in the order of the text', () => {
  const { text, values } = sql`select ${1}, ${'two'}`
  expect({ text, values }).toEqual({ text: 'select $1, $2', values: [1, 'two'] })
})

test('A fragment becomes part of the text, and its values stand where it does', () => {
  const inner = fragment`b = ${2}`
  const outer = fragment`(${inner} or c = ${3})`
  const { text, values } = sql`select where a = ${1} and ${outer} and d = ${4}`
  expect({ text, values }).toEqual({
    text: 'select where a = $1 and (b = $2 or c = $3) and d = $4',
    values: [1, 2, 3, 4],
  })
})

test('A statement has the same name whatever its values are, and another one with another fragment', () => {
  const by = (column: ReturnType<typeof fragment>, value: number) => sql`select where ${column} = ${value}`.name
  expect(by(fragment`a`, 1)).toBe(by(fragment`a`, 2))
  expect(by(fragment`a`, 1)).not.toBe(by(fragment`b`, 1))
})

test('A statement of a client has no name, and its values stand where they do in any other', () => {
  expect(unnamed`select where a = ${1} and ${fragment`b = ${2}`}`).toEqual({
    name: '',
    text: 'select where a = $1 and b = $2',
    values: [1, 2],
  })
})
