import { describe, expect, test } from 'vitest'
import { checkCustomHeaders, toHeaderLines } from './custom-headers.ts'

const illegalName = "a name must be one or more of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~"
const illegalValue = 'a value must be Latin-1 text without control characters, and without blanks at its ends'
const tooManyLines = ['custom_headers: must be at most 50 lines, one for each value']
const tooManyBytes = ['custom_headers: must be at most 16384 bytes, names and values together']

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index))

describe('Header names', () => {
  test.each(['x', 'X-Token', 'authorization', 'user-agent', '1', "!#$%&'*+-.^_`|~", '__proto__'])(
    'The header name %j is accepted',
    (name) => {
      expect(checkCustomHeaders(JSON.parse(`{${JSON.stringify(name)}:["v"]}`))).toEqual([])
    },
  )

  test.each([
    '',
    ' ',
    'a b',
    ' a',
    'a ',
    'a:',
    'a\n',
    'a\r\nb',
    'a\u0000',
    'a\t',
    '(a)',
    'a/b',
    'a"',
    'a,b',
    'a[]',
    'a@b',
    '\u00e9',
    '\u212a',
  ])('The header name %j is refused', (name) => {
    expect(checkCustomHeaders({ [name]: ['v'] })).toEqual([`custom_headers.${name}: ${illegalName}`])
  })

  test.each([
    'content-type',
    'Content-Length',
    'CONTENT-ENCODING',
    'host',
    'transfer-encoding',
    'connection',
    'keep-alive',
    'upgrade',
    'expect',
    'TE',
    'trailer',
  ])('The header %s is not allowed', (name) => {
    expect(checkCustomHeaders({ [name]: ['v'] })).toEqual([`custom_headers.${name}: is not allowed`])
  })

  test('The headers refuse one name in two spellings', () => {
    expect(checkCustomHeaders({ 'X-A': ['1'], 'x-b': ['2'], 'x-a': ['3'] })).toEqual([
      'custom_headers.x-a: is given in two spellings',
    ])
  })
})

describe('Header values', () => {
  test.each(['', 'v', 'a b', 'a\tb', 'Bearer x.y=', '"quoted", list; q=1', '\u00e9', '\u0080\u00ff', '~'])(
    'The header value %j is accepted',
    (value) => {
      expect(checkCustomHeaders({ a: [value] })).toEqual([])
    },
  )

  test.each([
    '\r',
    '\n',
    'v\n',
    'v\r\nx-evil: 1',
    'v\r\n\r\nGET / HTTP/1.1',
    '\u0000',
    'a\u0000b',
    'a\u001fb',
    'a\u007fb',
    '\u20ac',
    '\u010a',
    '\u560d\u560a',
    '\u2028',
    '\ud83d\ude00',
    '\ud800',
    ' ',
    '\t',
    ' v',
    'v ',
    '\tv',
    'v\t',
  ])('The header value %j is refused', (value) => {
    expect(checkCustomHeaders({ a: ['fine', value] })).toEqual([`custom_headers.a: ${illegalValue}`])
  })

  test('Header values are never shown', () => {
    expect(checkCustomHeaders({ a: ['secret\n'], host: ['secret'], 'a b': ['secret'] }).join()).not.toContain('secret')
  })
})

describe('Header limits', () => {
  test('The headers may have 50 lines, of one name or of many', () => {
    expect(checkCustomHeaders({ a: numbered(50) })).toEqual([])
    expect(checkCustomHeaders({ a: numbered(51) })).toEqual(tooManyLines)
    expect(checkCustomHeaders(Object.fromEntries(numbered(50).map((name) => [name, ['v']])))).toEqual([])
    expect(checkCustomHeaders(Object.fromEntries(numbered(51).map((name) => [name, ['v']])))).toEqual(tooManyLines)
  })

  test('The headers may have 16 KiB, as sent: a name with each of its values', () => {
    expect(checkCustomHeaders({ name: ['v'.repeat(16_380)] })).toEqual([])
    expect(checkCustomHeaders({ name: ['v'.repeat(16_381)] })).toEqual(tooManyBytes)
    expect(checkCustomHeaders({ name: ['', '\u00e9'.repeat(16_376)] })).toEqual([])
    expect(checkCustomHeaders({ name: ['', '\u00e9'.repeat(16_377)] })).toEqual(tooManyBytes)
    expect(checkCustomHeaders({ ['n'.repeat(16_385)]: [''] })).toEqual(tooManyBytes)
  })

  test('The headers refuse a name without a value', () => {
    expect(checkCustomHeaders({ a: ['v'], b: [] })).toEqual(['custom_headers: each name must have at least one value'])
  })

  test('The headers report all that is wrong within the limits', () => {
    expect(checkCustomHeaders({ Host: ['v'], a: ['\n'] })).toEqual([
      'custom_headers.Host: is not allowed',
      `custom_headers.a: ${illegalValue}`,
    ])
    expect(checkCustomHeaders({})).toEqual([])
  })
})

describe('Header lines', () => {
  test('Header lines give each value its line, in the order and spelling given', () => {
    expect(toHeaderLines({ 'X-B': ['1', '2'], a: ['3'] })).toEqual(['X-B', '1', 'X-B', '2', 'a', '3'])
  })
})
