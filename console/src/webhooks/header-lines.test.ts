import { expect, test } from 'vitest'
import { toHeaders, toLines } from './header-lines.ts'

test('Keeps several values of one header, and their order', () => {
  const headers = { authorization: ['Bearer a'], 'x-team': ['platform', 'crm'] }
  expect(toLines(headers)).toHaveLength(3)
  expect(toHeaders(toLines(headers))).toEqual(headers)
})

test('Leaves out a line that is empty, and keeps an empty value', () => {
  const lines = [
    { key: 0, name: ' ', value: '' },
    { key: 1, name: ' x-empty ', value: '' },
  ]
  expect(toHeaders(lines)).toEqual({ 'x-empty': [''] })
})
