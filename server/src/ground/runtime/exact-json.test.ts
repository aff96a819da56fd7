import { expect, test } from 'vitest'
import { isRawJSON, parseExactly } from './exact-json.ts'

test('Numbers of JSON keep their text where JavaScript would write them otherwise', () => {
  const text = '{"account":9007199254740993,"list":[1.0,1e400,-0],"small":1}'
  expect(JSON.stringify(parseExactly(text))).toBe(text)
  expect(parseExactly('[1.50]')).toEqual([expect.toSatisfy(isRawJSON)])
  expect(parseExactly('[1.5]')).toEqual([1.5])
})
