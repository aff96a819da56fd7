import { createHash } from 'node:crypto'

/** A SQL statement with its values. It has a name, so that PostgreSQL parses and plans it once per connection. */
export type Statement<_Row> = { name: string; text: string; values: unknown[] }

/** Part of a statement with its values, made by `fragment` for use in `sql` or another fragment. */
export class Fragment {
  readonly strings: TemplateStringsArray
  readonly values: unknown[]

  constructor(strings: TemplateStringsArray, values: unknown[]) {
    this.strings = strings
    this.values = values
  }
}

export const fragment = (strings: TemplateStringsArray, ...values: unknown[]) => new Fragment(strings, values)

type Prepared = { name: string; text: string }

const prepared = new WeakMap<TemplateStringsArray, Prepared>()
/** Names of statements with fragments, by text; bounded by the combinations in the source. */
const composed = new Map<string, Prepared>()

/**
 * `sql<Row>\`select … where id = ${id}\``: values become parameters, fragments become part of the text, and the text names the
 * statement.
 */
export function sql<Row = never>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  if (values.some((value) => value instanceof Fragment)) return compose(strings, values)
  let statement = prepared.get(strings)
  if (!statement) {
    statement = prepare(strings.reduce((before, part, index) => `${before}$${index}${part}`))
    prepared.set(strings, statement)
  }
  return { ...statement, values }
}

const prepare = (text: string): Prepared => ({
  name: createHash('sha256').update(text).digest('base64url').slice(0, 24),
  text,
})

function compose<Row>(strings: TemplateStringsArray, values: unknown[]): Statement<Row> {
  const flat: unknown[] = []
  const text = flatten(strings, values, flat)
  const statement = composed.get(text) ?? prepare(text)
  composed.set(text, statement)
  return { ...statement, values: flat }
}

/**
 * A statement whose text depends on what a client wrote: it has no name, else this process and each connection would keep one for each
 * text for ever.
 */
export function unnamed<Row>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  const flat: unknown[] = []
  return { name: '', text: flatten(strings, values, flat), values: flat }
}

/** Returns the text and appends the values to `flat`. */
function flatten(strings: TemplateStringsArray, values: unknown[], flat: unknown[]): string {
  let text = strings[0] as string
  for (const [index, value] of values.entries()) {
    text += value instanceof Fragment ? flatten(value.strings, value.values, flat) : `$${flat.push(value)}`
    text += strings[index + 1]
  }
  return text
}
