import { createHash } from 'node:crypto'

/** One SQL statement with its values. Always named, so that PostgreSQL parses and plans it once per connection. */
export type Statement<_Row> = { name: string; text: string; values: unknown[] }

const prepared = new WeakMap<TemplateStringsArray, { name: string; text: string }>()

/** `sql<Row>\`select … where id = ${id}\``: values become parameters, the text of the template names the statement. */
export function sql<Row = never>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  let statement = prepared.get(strings)
  if (!statement) {
    const text = strings.reduce((before, part, index) => `${before}$${index}${part}`)
    statement = { name: createHash('sha256').update(text).digest('base64url').slice(0, 24), text }
    prepared.set(strings, statement)
  }
  return { ...statement, values }
}
