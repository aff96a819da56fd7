import { expect, test } from 'vitest'
import { randomFrom } from '../../../../tests/support/random.ts'
import { ScimError } from '../errors.ts'
import { groupSchema } from '../schema/group-schema.ts'
import { nameOf } from '../schema/paths.ts'
import { enterpriseUrn, userSchema } from '../schema/user-schema.ts'
import type { Filter } from './filter.ts'
import { maxFilterLength, parseFilter } from './parse-filter.ts'

/** With all parentheses, and canonical names. */
function written(filter: Filter): string {
  if (filter.is === 'nothing') return 'nothing'
  if (filter.is === 'not') return `not ${written(filter.of)}`
  if (filter.is === 'among') return `${nameOf(filter.path)}[${written(filter.filter)}]`
  if (filter.is === 'present') return `${nameOf(filter.path)} pr`
  if (filter.is === 'compare') return `${nameOf(filter.path)} ${filter.operator} ${JSON.stringify(filter.value)}`
  return `(${filter.of.map(written).join(` ${filter.is} `)})`
}

const parse = (text: string) => written(parseFilter(userSchema, text))

const refusal = (text: string) => {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof ScimError) return `${error.status} ${error.scimType}`
    throw error
  }
  return 'not refused'
}

test.each([
  ['userName eq "jo@example.com"', 'userName eq "jo@example.com"'],
  ['USERNAME Eq "JO"', 'userName eq "JO"'],
  ['externalId eq "00u"', 'externalId eq "00u"'],
  ['emails eq "a@x"', 'emails.value eq "a@x"'],
  ['emails.Type eq "work"', 'emails.type eq "work"'],
  ['emails[type eq "work" and value co "x"]', 'emails[(type eq "work" and value co "x")]'],
  ['emails[type eq "work"].value eq "a@x"', 'emails[(type eq "work" and value eq "a@x")]'],
  ['emails[not (type eq "work")]', 'emails[not type eq "work"]'],
  ['name[givenName pr]', 'name[givenName pr]'],
  ['a eq "1" and userName eq "b"', '(nothing and userName eq "b")'],
  [
    'userName eq "a" or userName eq "b" and active eq true',
    '(userName eq "a" or (userName eq "b" and active eq true))',
  ],
  [
    '(userName eq "a" or userName eq "b") AND not(active eq FALSE)',
    '((userName eq "a" or userName eq "b") and not active eq false)',
  ],
  ['active eq "True"', 'active eq true'],
  ['title pr', 'title pr'],
  ['title eq null', 'title eq null'],
  ['meta.lastModified gt "2026-01-31T12:00:00+01:00"', 'meta.lastModified gt "2026-01-31T11:00:00.000Z"'],
  [`${userSchema.id}:userName eq "a"`, 'userName eq "a"'],
  [`${userSchema.id.toUpperCase()}:emails[type eq "work"].value pr`, 'emails[(type eq "work" and value pr)]'],
  [`${enterpriseUrn}:manager eq "m"`, `${enterpriseUrn}:manager.value eq "m"`],
  [`${enterpriseUrn}:manager.value eq "m"`, `${enterpriseUrn}:manager.value eq "m"`],
  ['urn:example:2.0:User:shoeSize eq 43', 'nothing'],
  ['favouriteColour pr', 'nothing'],
  ['favouriteColour[shade eq "dark"].value eq "blue"', 'nothing'],
  ['name.nobodyKnows eq "x"', 'nothing'],
  [String.raw`userName eq "a\"b\\c\u00e9"`, String.raw`userName eq "a\"b\\cé"`],
  ['userName eq "(and) [not] eq"', 'userName eq "(and) [not] eq"'],
])('36: %s', (text, meaning) => {
  expect(parse(text)).toBe(meaning)
})

test('78: whether somebody is in a group', () => {
  const text = 'id eq "g" and members eq "u"'
  expect(written(parseFilter(groupSchema, text))).toBe('(id eq "g" and members.value eq "u")')
  expect(written(parseFilter(groupSchema, 'members[value eq "u"]'))).toBe('members[value eq "u"]')
})

test.each([
  '',
  'userName',
  'userName eq',
  'userName == "a"',
  'userName eq a',
  'userName eq "a',
  'userName eq "a" and',
  'userName eq "a" userName eq "b"',
  '(((',
  '(userName eq "a"',
  'userName eq "a")',
  'not userName eq "a"',
  'emails[type eq "work"',
  'emails[]',
  'emails[type eq "work"]]',
  'emails[type[value pr]]',
  'userName[value eq "a"]',
  '9userName eq "a"',
  'user name eq "a"',
  'name.givenName.x eq "a"',
  'userName eq 7',
  'active eq "perhaps"',
  'active co "tr"',
  'active gt true',
  'name eq "Jo"',
  'userName gt null',
  'meta.created gt "yesterday"',
  'meta.created co "2026"',
  String.raw`userName eq "\x"`,
  'userName eq "a\nb"',
])('38: %j is refused', (text) => {
  expect(refusal(text)).toBe('400 invalidFilter')
})

test('40: a filter has bounds of length, depth and terms', () => {
  const term = 'title pr'
  const nested = (depth: number) => '('.repeat(depth) + term + ')'.repeat(depth)
  expect(refusal(`userName eq "${'x'.repeat(maxFilterLength)}"`)).toBe('400 invalidFilter')
  expect(refusal(`userName eq "${'x'.repeat(maxFilterLength - 14)}"`)).toBe('not refused')
  expect(refusal(nested(20))).toBe('not refused')
  expect(refusal(nested(21))).toBe('400 invalidFilter')
  expect(refusal('not('.repeat(21) + term + ')'.repeat(21))).toBe('400 invalidFilter')
  expect(refusal(Array(50).fill(term).join(' or '))).toBe('not refused')
  expect(refusal(Array(51).fill(term).join(' or '))).toBe('400 tooMany')
})

const pieces = [
  'userName',
  'emails',
  'name',
  '.value',
  'eq',
  'pr',
  'not',
  'and',
  'or',
  '(',
  ')',
  '[',
  ']',
  '"',
  '"a"',
  '\\',
  ' ',
  'true',
  'null',
  '7',
  'urn:',
  ':',
  '\0',
  '\ud800',
  '__proto__',
  '%',
]

test('Whatever is sent is a filter or is refused', () => {
  const random = randomFrom(7)
  const next = (below: number) => Math.floor(random() * below)
  for (let round = 0; round < 5_000; round++) {
    const length = next(30)
    const text = Array.from({ length }, () => pieces[next(pieces.length)]).join(next(2) ? ' ' : '')
    expect(['not refused', '400 invalidFilter', '400 tooMany']).toContain(refusal(text))
  }
})

test.each(['(', ')', '[', '"', '\\', ' ', 'a', '.', 'not(', 'title pr or ', 'emails[', '"\\'])(
  'A filter of nothing but %j is refused',
  (piece) => {
    const text = piece.repeat(maxFilterLength / piece.length)
    expect(refusal(text)).toMatch(/^400/)
  },
)
