/** The middle one, with the least and the most of them. */
export type Figure = { median: number; least: number; most: number }

export function figureOf(values: number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, least: at(0), most: at(sorted.length - 1) }
}

/** The value that `share` of them do not exceed: 0.99 gives the 99th percentile. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

/** `2,751 (2,600–2,801)`; a dash for what could not be measured. */
export function show({ median, least, most }: Figure, format: (value: number) => string = whole): string {
  if (Number.isNaN(median)) return '–'
  return `${format(median)} (${format(least)}–${format(most)})`
}

export const whole = (value: number) => Math.round(value).toLocaleString('en-US')
export const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`
/** What is said of a target. */
export const verdict = (isMet: boolean) => (isMet ? 'met' : 'NOT met')
export const percent = (value: number) => `${Math.round(value * 100)} %`

/** A table as Markdown has it, with columns of equal width, so that it can be read as it is. */
export function table(rows: string[][]): string {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
  return lines.toSpliced(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`).join('\n')
}
