import { stripVTControlCharacters } from 'node:util'
import type { Outcome } from './run-files.ts'
import { type Suite, suites } from './suites.ts'

/** docs/tested.md: a row for each suite, and a line for whatever did not pass. */
export type Tested = { machine: string; rows: Map<string, Row> }
type Row = { cells: string[]; lines: string[] }

const columns = [
  'suite',
  'what it proves',
  'commit',
  'date',
  'files',
  'passed',
  'failed',
  'flaky',
  'skipped',
  'seconds',
]
const heading = 'What did not pass'
const lineForm = /^- (?:\*\*)?`([\w-]+)`/

export const rowOf = (
  { name, proves }: Suite,
  { commit, date }: { commit: string; date: string },
  outcome: Outcome,
) => {
  const { files, failed, flaky, seconds } = outcome
  const sum = (key: 'passed' | 'skipped') => files.reduce((total, file) => total + file[key], 0)
  const figures = [files.length, sum('passed'), failed.length, flaky.length, sum('skipped'), seconds]
  const lines = [
    ...failed.map((one) => ({ word: 'failed', ...one })),
    ...flaky.map((one) => ({ word: 'flaky', ...one })),
  ]
  return {
    cells: [`\`${name}\``, proves, commit, date, ...figures.map(String)],
    lines: lines.map(
      ({ word, path, title, reason }) => `- \`${name}\` ${word}: \`${path}\` › ${title}: ${plain(reason)}`,
    ),
  }
}

export const notRunRow = ({ name, proves }: Suite, needs: string): Row => ({
  cells: [`\`${name}\``, proves, `not run: needs ${needs}`, ...Array(columns.length - 3).fill('')],
  lines: [],
})

const plain = (text: string) => stripVTControlCharacters(text).replaceAll(/[|<>`]/g, ' ')

export function writePage({ machine, rows }: Tested): string {
  const known = suites.flatMap(({ name }) => rows.get(name) ?? [])
  const table = [columns, columns.map(() => '---'), ...known.map(({ cells }) => cells)]
  const lines = known.flatMap((row) => row.lines)
  return `# What was tested

\`npm run test:everything\` writes this page; with names of suites it replaces their rows alone. A row holds
for its commit: what has changed since then, it does not say. A file that failed was run once more by itself: what passed then is flaky.

Machine: ${machine}

${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

## ${heading}

${lines.length > 0 ? lines.join('\n') : 'Nothing.'}
`
}

/** The rows of a page that was written before. */
export function readPage(text: string): Map<string, Row> {
  const rows = new Map<string, Row>()
  for (const line of text.split('\n').filter((each) => each.startsWith('| `'))) {
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
    rows.set((cells[0] as string).replaceAll('`', ''), { cells, lines: [] })
  }
  for (const line of text.split('\n')) rows.get(lineForm.exec(line)?.[1] ?? '')?.lines.push(line)
  return rows
}
