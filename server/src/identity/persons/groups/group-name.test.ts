import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ApiError } from '../../../ground/errors.ts'
import { compileValidator } from '../../../ground/http/chain/validation.ts'
import { GroupNames, groupNameForm } from './group-name.ts'

const lettersAndDigits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const isName = (text: string) => groupNameForm.test(text)

/** The rule of 2.2 once more, character by character. */
function scan(text: string): boolean {
  const isEnd = (character: string | undefined) => character !== undefined && lettersAndDigits.includes(character)
  const characters = [...text]
  const within = characters.every((character) => isEnd(character) || '-_.'.includes(character))
  return (
    characters.length >= 2 && characters.length <= 100 && within && isEnd(characters[0]) && isEnd(characters.at(-1))
  )
}

describe('The length of a name', () => {
  test.each([
    [0, false],
    [1, false],
    [2, true],
    [3, true],
    [99, true],
    [100, true],
    [101, false],
    [200, false],
  ])('A name of %i characters is accepted: %s', (length, accepted) => {
    expect(isName('a'.repeat(length))).toBe(accepted)
  })
})

describe('The characters of a name', () => {
  test.each([...lettersAndDigits])('A name takes the character %s at every place', (character) => {
    expect([`${character}bc`, `a${character}c`, `ab${character}`, character.repeat(2)].map(isName)).toEqual(
      Array(4).fill(true),
    )
  })

  test.each(['-', '_', '.'])('A name takes %s at every place but the first and the last', (character) => {
    expect(isName(`a${character}c`)).toBe(true)
    expect(isName(`a${character.repeat(98)}c`)).toBe(true)
    expect(isName(`${character}bc`)).toBe(false)
    expect(isName(`ab${character}`)).toBe(false)
  })

  const others = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))].filter(
    (character) => !lettersAndDigits.includes(character) && !'-_.'.includes(character),
  )
  const notAscii = [
    'é',
    'ß',
    'ſ',
    '\u212a',
    '٠',
    '０',
    'Ａ',
    '\u0301',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\u200b',
    '名',
    '😀',
  ]
  test.each([...others, ...notAscii])('A name takes the character %j at no place', (character) => {
    expect([`${character}bc`, `a${character}c`, `ab${character}`].map(isName)).toEqual(Array(3).fill(false))
  })
})

test.each(['staff\n', 'staff\r\n', '\nstaff', 'staff\nstaff', 'staff\0', 'staff '])(
  'A name with a line end or an odd end is refused: %j',
  (text) => {
    expect(isName(text)).toBe(false)
  },
)

test('The rule says of any text what a reading character by character says', () => {
  const character = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...lettersAndDigits, '-', '_', '.') },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  )
  const names = fc.string({ unit: character, maxLength: 104 })
  fc.assert(
    fc.property(
      fc.oneof(
        names,
        names.map((text) => `a${text}z`),
      ),
      (text) => {
        expect(isName(text)).toBe(scan(text))
      },
    ),
    { numRuns: 500 },
  )
})

describe('Names in a request', () => {
  const validate = compileValidator({ schema: GroupNames, httpPart: 'body' })
  const problemsOf = (value: unknown) =>
    (validate(value).error as ApiError | undefined)?.problems.map((one) => one.message)

  test('A request may have no names, and a thousand', () => {
    expect(problemsOf([])).toBeUndefined()
    expect(problemsOf(Array(1_000).fill('staff'))).toBeUndefined()
    const names = Array.from({ length: 1_001 }, (_, index) => `staff-${index}`)
    expect(problemsOf(names)).toEqual(['body: must be an array of at most 1000 group names'])
    expect(problemsOf([...names.slice(1), ...names.slice(1)])).toBeUndefined()
  })

  test('Names in a request are each reported when they break the rule', () => {
    const rule = 'must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit'
    expect(problemsOf(['ok', '-a', 'ok', 7])).toEqual([`[1]: ${rule}`, `[3]: ${rule}`])
  })
})
