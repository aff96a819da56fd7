import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const columns = ['clause', 'what', 'test']
/** `path › title`, between back quotes. */
const testForm = /^`(\S+\.test\.ts) › ([^`]+)`$/

const rows = rowsOf('docs/reference/interface.md', columns)

function rowsOf(path: string, header: string[]): string[][] {
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  return lines
    .filter((line) => line.startsWith('|') && !/^\|[-|]+$/.test(line))
    .map(cellsOf)
    .filter((cells) => cells.join() !== header.join())
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').slice(1, -1)
  return cells.map((cell) => cell.trim())
}

const testsOf = ([, , cell = '']: string[]): string[] => cell.split('<br>')

/** Whether a test, or a table of tests, with the title as it is written there stands in the file. */
function isThere(name: string): boolean {
  const [, path = '', title = ''] = testForm.exec(name) ?? []
  const file = join(root, path)
  const written = new RegExp(`(?<!\\.(?:skip|todo|fails))\\(\\s*(['"\`])${RegExp.escape(title)}\\1,`)
  return existsSync(file) && written.test(readFileSync(file, 'utf8'))
}

describe('The table of the interface', () => {
  test('Each row has a clause, what it says, and its tests', () => {
    expect(rows.length).toBeGreaterThan(200)
    for (const row of rows) {
      expect(row, row.join(' | ')).toHaveLength(columns.length)
      expect(row[0], row.join(' | ')).toMatch(/^\d(\.\d)?(, rule \d)?$/)
    }
  })

  test('Each row has a test', () => {
    const without = rows.filter((row) => !testsOf(row).every((name) => testForm.test(name)))
    expect(without.map((row) => row.join(' | '))).toEqual([])
  })

  test('Each test that a row names exists', () => {
    const named = rows.flatMap(testsOf).filter((name) => testForm.test(name))
    expect(named.filter((name) => !isThere(name))).toEqual([])
  })
})

test.each([
  ['sign-in', 40],
  ['console', 15],
])('Each threat to a %s has tests, which exist', (name, least) => {
  const named = rowsOf(`docs/build/${name}-security.md`, ['threat', 'what answers it', 'test']).flatMap(testsOf)
  expect(named.length).toBeGreaterThan(least)
  expect(named.filter((name) => !isThere(name))).toEqual([])
})
