import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { helpPageOf, helpPages } from '../src/design/help-pages.ts'
import { everyPage } from './support/pages.ts'

const dist = join(import.meta.dirname, '../../help/dist')

function isThere(link: string): boolean {
  const [page, anchor] = link.split('#')
  const file = join(dist, `${page}.html`)
  return existsSync(file) && (anchor === undefined || readFileSync(file, 'utf8').includes(` id="${anchor}"`))
}

test('Each page of the help that a page of the console leads to is there', () => {
  expect(Object.values(helpPages).filter((link) => !isThere(link))).toEqual([])
})

test('Each begins the path of a page of the console, and none is hidden by one before it', () => {
  const paths = everyPage.map((written) => written.replace(/^\w+:/, ''))
  for (const [begin, page] of Object.entries(helpPages)) {
    expect(
      paths.some((path) => path.startsWith(begin)),
      begin,
    ).toBe(true)
    expect(helpPageOf(begin)).toBe(page)
  }
  expect(helpPageOf('/')).toBeUndefined()
})
