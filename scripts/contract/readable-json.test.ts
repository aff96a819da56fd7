import { expect, test } from 'vitest'
import { readableJson } from './readable-json.ts'

test.each<unknown>([
  {},
  { short: [1, null, 'a'], long: 'x'.repeat(200), empty: [] },
  [{ deep: { deeper: ['y'.repeat(100), 'z'.repeat(100)] } }, 1],
])('JSON is read as what was written: %j', (value) => {
  expect(JSON.parse(readableJson(value))).toEqual(value)
})

test('What fits into a line stands in one, and what does not has a line for each of its parts', () => {
  const wide = { name: 'x'.repeat(130), type: 'string' }
  expect(readableJson({ wide, narrow: { type: 'string' } })).toBe(
    `{\n "wide": {\n  "name": "${wide.name}",\n  "type": "string"\n },\n "narrow": { "type": "string" }\n}\n`,
  )
})
