import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { sha256Of } from './artifacts/checksums.ts'

/** `not here`: what this machine cannot prove. */
type Result = 'proved' | 'failed' | 'not here'
export type Row = {
  subject: string
  bytes?: number
  sha256?: string
  tried: string
  result: Result
  /** Why it was not proved. */
  reason?: string
  seconds?: number
}

/** Characters of the digest, as many as tell the files of a release apart. */
const shortDigest = 12
const maxReason = 160

/** Of an artifact. */
export function measured(file: string): Pick<Row, 'subject' | 'bytes' | 'sha256'> {
  return { subject: basename(file), bytes: statSync(file).size, sha256: sha256Of(file).slice(0, shortDigest) }
}

export function drawTable(rows: Row[]): string {
  const head = ['artifact', 'bytes', 'sha256', 'tried', 'result', 'seconds']
  const cells = [head, ...rows.map(cellsOf)]
  const widths = head.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(head), rule, ...cells.slice(1).map(line)].join('\n')
}

const cellsOf = ({ subject, bytes, sha256, tried, result, reason, seconds }: Row): string[] => [
  subject,
  bytes?.toLocaleString('en') ?? '',
  sha256 ?? '',
  tried,
  reason ? `${result}: ${firstLine(reason)}` : result,
  seconds?.toFixed(0) ?? '',
]

/** Of a reason, as much as a cell has room for. */
export const firstLine = (text: string) => (text.split('\n')[0] ?? '').replaceAll('|', '¦').slice(0, maxReason)
