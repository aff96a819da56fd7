import { exitCodes } from '../failure.ts'

/** More than this many help nobody. */
const maxShown = 20

export type Problem = { line: number; column: number; message: string }

/** What is wrong with a file, all of it at once. */
export class FileError extends Error {
  override readonly name = 'FileError'
  readonly exitCode = exitCodes.usage

  constructor(file: string, problems: Problem[]) {
    const sorted = problems.toSorted((one, other) => one.line - other.line || one.column - other.column)
    const lines = sorted.slice(0, maxShown).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`)
    const more = sorted.length - lines.length
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'))
  }
}
