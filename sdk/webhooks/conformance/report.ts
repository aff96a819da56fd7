import type { Hello } from './protocol.ts'
import { levels, type Result } from './try-receiver.ts'
import { kitVersion } from './vectors.ts'

const columns = { outcome: 10, level: 9 }
const longest = 400

export const lineOf = ({ level, name, outcome, why }: Result) =>
  printable(`${outcome.padEnd(columns.outcome)}${level.padEnd(columns.level)}${name}${why ? `: ${why}` : ''}`)

/** What an adapter says is shown in one line, and controls no terminal. */
export const printable = (text: string) => text.slice(0, longest).replace(/\p{Cc}/gu, '\ufffd')

/** What may be said of the library, and whether nothing failed. */
export function claimOf({ library, version }: Hello, results: Result[], only: string) {
  const passes = results.length > 0 && results.every(({ outcome }) => outcome !== 'failed')
  const counts = levels.flatMap((level) => countOf(level, results))
  if (only !== '') return { passes, lines: [...counts, `With --only there is nothing to claim.`] }
  return { passes, lines: [...counts, sentence(printable(`${library} ${version}`), results, passes)] }
}

function countOf(level: string, results: Result[]): string[] {
  const ofLevel = results.filter((result) => result.level === level)
  if (ofLevel.length === 0) return []
  const [passed, failed, leftOut] = (['passed', 'failed', 'left out'] as const).map(
    (outcome) => ofLevel.filter((result) => result.outcome === outcome).length,
  )
  const rest = leftOut ? `, ${leftOut} left out, which need a clock that can be set` : ''
  return [`${level}: ${passed} of ${ofLevel.length} passed, ${failed} failed${rest}`]
}

function sentence(library: string, results: Result[], passes: boolean): string {
  const tried = results.filter(({ outcome }) => outcome !== 'left out')
  const passed = tried.filter(({ outcome }) => outcome === 'passed').length
  if (!passes) return `${library} does not pass kit ${kitVersion}: ${passed} of ${tried.length}`
  const isWhole = tried.length === results.length
  const ofLevel = results.filter(({ level }) => level === 'verify').length
  const level = isWhole ? 'levels verify and key-set' : 'level verify'
  const count = isWhole ? results.length : ofLevel
  return `${library} passes kit ${kitVersion}, ${level}: ${count} of ${count}`
}
