/** Custom headers as they are edited: a line for each value. `key` stays with its line. */
export type HeaderLine = { key: number; name: string; value: string }

export type CustomHeaders = Record<string, string[]>

export const toLines = (headers: CustomHeaders): HeaderLine[] =>
  Object.entries(headers)
    .flatMap(([name, values]) => values.map((value) => ({ name, value })))
    .map((line, key) => ({ ...line, key }))

/** Lines without a name and a value are left out. Spellings that differ are kept: the service says that they do. */
export function toHeaders(lines: readonly HeaderLine[]): CustomHeaders {
  const filled = lines.filter(({ name, value }) => name.trim() !== '' || value !== '')
  const byName = Object.groupBy(filled, ({ name }) => name.trim())
  return Object.fromEntries(Object.entries(byName).map(([name, same = []]) => [name, same.map(({ value }) => value)]))
}
