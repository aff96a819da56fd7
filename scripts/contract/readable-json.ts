/** Columns of a line. */
const width = 140

/** JSON of which whatever fits into a line stands in one: half as many lines to read, and a change of one is a change of one line. */
export const readableJson = (value: unknown) => `${linesOf(value, 0)}\n`

function linesOf(value: unknown, depth: number): string {
  const short = inOneLine(value)
  if (typeof value !== 'object' || value === null || (depth > 0 && depth + short.length <= width)) return short
  const indent = ' '.repeat(depth + 1)
  const entries = Array.isArray(value)
    ? value.map((item) => indent + linesOf(item, depth + 1))
    : Object.entries(value).map(([name, member]) => `${indent}${JSON.stringify(name)}: ${linesOf(member, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${entries.join(',\n')}\n${' '.repeat(depth)}${close}`
}

function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${inOneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
