import { expect, test } from 'vitest'
import { piecesOf, plain } from './marked.ts'

test('What turns text around, or is not seen, is a mark with its code', () => {
  expect(piecesOf('Acme \u202Egpj.exe')).toEqual([
    { text: 'Acme ', isMark: false },
    { text: 'U+202E', isMark: true },
    { text: 'gpj.exe', isMark: false },
  ])
  for (const [text, shown] of [
    ['ad\u200Cmin', 'ad[U+200C]min'],
    ['ad\u200Bmin', 'ad[U+200B]min'],
    ['a\u0000b\u001Bc\u0085', 'a[U+0000]b[U+001B]c[U+0085]'],
    ['\uFEFFa\u2066b\u2069\u00AD', '[U+FEFF]a[U+2066]b[U+2069][U+00AD]'],
    ['a\u2028b', 'a[U+2028]b'],
    ['a\u{E0041}', 'a[U+E0041]'],
    ['a\u3164', 'a[U+3164]'],
  ] as const)
    expect(plain(text)).toBe(shown)
})

test('Names in any script, emoji and blanks stay as they are', () => {
  for (const text of [
    '',
    'Zoë',
    '名前',
    'می\u200Cخواهم',
    'क्\u200Dष',
    '👨\u200D👩\u200D👧',
    '🏳️\u200D🌈',
    'a\tb\nc',
    'עברית',
  ])
    expect(plain(text)).toBe(text)
  const wales = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}'
  expect(plain(wales)).toBe(wales)
})
