import { expect, test } from 'vitest'
import { wrapped } from './demo-stage.ts'

test('A line is wrapped at the width of the terminal without cutting a word', () => {
  const text = 'POST /persons {"handles":[{"type":"EmailAddress","value":"jo@example.com"}],"groups":["staff"]}'
  const lines = wrapped(text, '   ', 40).split('\n')
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40)
  expect(
    lines
      .map((line) => line.slice(3))
      .join('')
      .replaceAll(' ', ''),
  ).toBe(text.replaceAll(' ', ''))
  expect(wrapped(text, '', 40)).toContain('"value":"jo@example.com"')
})

test('A word longer than the width of the terminal stays whole on a line of its own', () => {
  const token = 'e'.repeat(90)
  expect(wrapped(`JWT: ${token} of now`, '   ', 40).split('\n')).toEqual(['   JWT:', `   ${token}`, '   of now'])
})

test('A line is not wrapped without a terminal', () => {
  expect(wrapped('as  it is', '   ', undefined)).toBe('   as  it is')
})
