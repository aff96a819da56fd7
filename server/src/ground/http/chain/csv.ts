import type { TSchema } from 'typebox'
import type { Operation } from './operation.ts'

export const csvType = 'text/csv'

/** `path`: the members that lead to the value; none: the whole item. */
export type Column = { name: string; path: string[] }
type Schema = TSchema & {
  type?: string
  properties?: Record<string, Schema>
  additionalProperties?: unknown
  items?: Schema
  anyOf?: Schema[]
  /** Of an item that is no object: its column. Of one whose members differ from item to item: paths of those that all have, or the whole (empty). */
  'x-columns'?: Record<string, string>
  /** It may hold secrets, and a file is passed on. */
  'x-never-in-csv'?: true
}

type Listing = Pick<Operation, 'method' | 'paged' | 'bare' | 'result'>

/** Whether the result is a list, which can be had as a table. */
export const isList = ({ method, paged, bare, result }: Listing) =>
  method === 'GET' && !bare && result !== undefined && (Boolean(paged) || (result as Schema).type === 'array')

/** Those of a list, in the order of its schema: the same for each page, whatever is on it. */
export function columnsOf({ paged, result }: Pick<Operation, 'paged' | 'result'>): Column[] {
  const item = (paged ? result : (result as Schema).items) as Schema
  const given = item['x-columns']
  if (given) return Object.entries(given).map(([name, path]) => ({ name, path: path === '' ? [] : path.split('.') }))
  return hasColumns(item) ? columnsIn(item, []) : [{ name: 'value', path: [] }]
}

/** Members of an object are columns of their own; an array, and what has other members each time, is one as JSON. */
const columnsIn = (schema: Schema, path: string[]): Column[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    if (member['x-never-in-csv']) return []
    const own = [...path, name]
    const object = (member.anyOf ?? [member]).find(hasColumns)
    return object ? columnsIn(object, own) : [{ name: own.join('.'), path: own }]
  })

const hasColumns = ({ type, properties }: Schema) => type === 'object' && Object.keys(properties ?? {}).length > 0

/** RFC 4180. */
export const toCsv = (columns: Column[], items: unknown[]) =>
  [columns.map(({ name }) => name), ...items.map((item) => columns.map(({ path }) => textOf(valueAt(item, path))))]
    .map((cells) => `${cells.map(toCell).join(',')}\r\n`)
    .join('')

const valueAt = (item: unknown, path: string[]) =>
  path.reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], item)

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What spreadsheets take for a formula (OWASP, *CSV Injection*), also behind what they skip, and in the forms that East Asian ones know. */
const formula = /^(?:[\s\p{C}]*[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]|[\t\r\n\0])/u
/** Beside what RFC 4180 names, what a spreadsheet may split cells at, and blanks that it may drop. */
const needsQuotes = /[",;\t\r\n]|^\s|\s$/

function toCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
