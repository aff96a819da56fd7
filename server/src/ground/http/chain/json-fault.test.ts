import { expect, test } from 'vitest'
import { faultOfJson } from './json-fault.ts'

test.each([
  ['{"a": 1, // why\n "b": 2}', 'line 1, column 10: JSON has no comments'],
  ['{\n  "a": 1, /* why */\n "b": 2}', 'line 2, column 11: JSON has no comments'],
  ['# why\n{}', 'line 1, column 1: JSON has no comments'],
  ['{\n  "a": [1, 2,],\n}', 'line 2, column 14: no comma before a closing bracket'],
  ['{"a": 1,\n}', 'line 2, column 1: no comma before a closing bracket'],
  [`{'a': 1}`, 'line 1, column 2: texts and names stand in double quotes'],
  ['{a: 1}', 'line 1, column 2: texts and names stand in double quotes'],
  ['{"a": yes}', 'line 1, column 7: texts and names stand in double quotes'],
  ['{"😀": "ä" "b"}', 'line 1, column 11'],
  ['{"a" 1}', 'line 1, column 6'],
  ['{"a": 01}', 'line 1, column 7'],
  ['{"a": "b\nc"}', 'line 1, column 7'],
  ['{"a": "\\x"}', 'line 1, column 7'],
  ['{} {}', 'line 1, column 4'],
  ['[1}', 'line 1, column 3'],
  ['{"a": [true, null, -1.5e3, "\\u00e9"]', 'line 1, column 37: it ends too early'],
])('%j stops being JSON at %s', (text, place) => {
  expect(() => JSON.parse(text)).toThrow()
  expect(faultOfJson(text)).toBe(place)
})

test('What it shows holds nothing of the text, and a body of 1 MiB takes no longer than to parse it twice', () => {
  expect(faultOfJson('{"key": "secret-of-somebody" secret-of-somebody}')).toBe(
    'line 1, column 30: texts and names stand in double quotes',
  )
  for (const long of [`{"a": "${'x'.repeat(1_000_000)}"`, '['.repeat(1_000_000), `[${'"x\\n",'.repeat(150_000)}`])
    expect(faultOfJson(long)).toContain('it ends too early')
})

test.each(['x', '\x7f', 'x\x7f', '\\n', 'x\\u00e9', '😀'])(
  'A string of %j again and again that does not end is looked through once',
  (piece) => {
    const begun = performance.now()
    expect(faultOfJson(`{"a": "${piece.repeat(160_000)}`)).toBe('line 1, column 7')
    expect(performance.now() - begun).toBeLessThan(5_000)
  },
)
