import { expect, test } from 'vitest'
import { type Suite, suites } from './suites.ts'
import { notRunRow, readPage, rowOf, writePage } from './tested-page.ts'

const [one, other] = suites as [Suite, Suite]
const file = { path: 'a.test.ts', passed: 3, skipped: 1, failures: [] }
const failure = { path: 'a.test.ts', title: 'A title', reason: 'a | b' }
const at = { commit: 'abc1234', date: '2026-11-26' }

test('Rows of suites that were not run again stay, with what did not pass of them', () => {
  const first = writePage({
    machine: 'a machine',
    rows: new Map([
      [one.name, rowOf(one, at, { files: [file], failed: [failure], flaky: [], seconds: 7 })],
      [other.name, rowOf(other, at, { files: [file], failed: [], flaky: [failure], seconds: 8 })],
    ]),
  })
  const rows = readPage(first)
  expect(writePage({ machine: 'a machine', rows })).toBe(first)
  rows.set(other.name, notRunRow(other, 'nginx'))
  const second = writePage({ machine: 'a machine', rows })
  expect(second).toContain(`| \`${one.name}\` | ${one.proves} | abc1234 | 2026-11-26 | 1 | 3 | 1 | 0 | 1 | 7 |`)
  expect(second).toContain(`- \`${one.name}\` failed: \`a.test.ts\` › A title: a   b`)
  expect(second).toContain('not run: needs nginx')
  expect(second).not.toContain('flaky: `a')
})
