import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { columnsOf, toCsv } from './csv.ts'

const rowOf = (value: unknown) =>
  toCsv([{ name: 'a', path: ['a'] }], [{ a: value }])
    .slice('a\r\n'.length)
    .replace(/\r\n$/, '')

test.each([
  ['=1+1', "'=1+1"],
  ['+12025550123', "'+12025550123"],
  ['-1', "'-1"],
  [-1, "'-1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['\ttab', '"\'\ttab"'],
  ['\rreturn', '"\'\rreturn"'],
  ['\nline', '"\'\nline"'],
  ['  =1', "'  =1"],
  ['\u{feff}=1', "'\u{feff}=1"],
  ['\u{202e}=1', "'\u{202e}=1"],
  ['\u{a0}=1', "'\u{a0}=1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠a', "'＠a"],
  ['﹦1', "'﹦1"],
  ['=a,"b"', '"\'=a,""b"""'],
])('A spreadsheet takes the cell of %j for text', (value, cell) => expect(rowOf(value)).toBe(cell))

test.each([
  ['plain', 'plain'],
  ['a=b', 'a=b'],
  ["'=1", "'=1"],
  ['a,b', '"a,b"'],
  ['a;b', '"a;b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  [' blank ', '" blank "'],
  ['\u{202e}gnp', '\u{202e}gnp'],
  ['%_\\', '%_\\'],
  [true, 'true'],
  [0, '0'],
  [null, ''],
  [undefined, ''],
  ['', ''],
  [['a', '=b'], '"[""a"",""=b""]"'],
])('The cell of %j is as RFC 4180 has it', (value, cell) => expect(rowOf(value)).toBe(cell))

test('Columns are those of the schema, members of an object by their path', () => {
  const inner = Type.Object({ id: Type.String(), more: Type.Object({}, { additionalProperties: true }) })
  const result = Type.Object({
    a: Type.String(),
    by: inner,
    or: Type.Union([inner, Type.Null()]),
    all: Type.Array(inner),
    secret: { ...Type.String(), 'x-never-in-csv': true },
  })
  const columns = columnsOf({ paged: true, result })
  expect(columns.map(({ name }) => name)).toEqual(['a', 'by.id', 'by.more', 'or.id', 'or.more', 'all'])
  expect(toCsv(columns, [{ a: 1, by: { id: 'x', more: { y: 1 } }, or: null, secret: 's' }, {}])).toBe(
    'a,by.id,by.more,or.id,or.more,all\r\n1,x,"{""y"":1}",,,\r\n,,,,,\r\n',
  )
  expect(columnsOf({ paged: true, result: Type.String() })).toEqual([{ name: 'value', path: [] }])
})
