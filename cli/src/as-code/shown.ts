import { printable } from '../output.ts'

/** Characters of a value that a line of a plan has room for. */
const maxShown = 100

/** A value of the service or of the file as one line, and not a long one. */
export function shown(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'nothing')
  const characters = [...text]
  if (characters.length <= maxShown) return text
  return `${characters.slice(0, maxShown).join('')}… (${characters.length} characters)`
}
