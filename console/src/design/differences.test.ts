import { expect, test } from 'vitest'
import { concealed, differencesBetween } from './differences.ts'

const before = { name: 'crm', timeout: '0s', custom_headers: { 'x-token': ['first'] } }
const after = { name: 'crm', timeout: '5s', custom_headers: { 'x-token': ['second'] } }

test('Only members that differ are shown, and of a secret only that it does', () => {
  const shown = concealed(differencesBetween(before, after), ['custom_headers'])
  expect(shown.map(({ name }) => name)).toEqual(['timeout', 'custom_headers'])
  expect(JSON.stringify(shown)).toContain('x-token')
  expect(JSON.stringify(shown)).not.toMatch(/first|second/)
})
