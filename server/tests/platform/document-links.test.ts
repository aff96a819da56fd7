import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

type Link = { from: string; target: string }

const textOf = (document: string) => readFileSync(join(root, document), 'utf8').replace(/^ *```.*?^ *```$/gms, '')

/** Those within the repository. */
function linksOf(document: string): Link[] {
  const targets = [...textOf(document).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target)
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => ({ from: document, target }))
}

/** As GitHub makes them of headings. */
function anchorsOf(document: string): Set<string> {
  const headings = [...textOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(headings.map(anchorOf))
}

function anchorOf(heading: string): string {
  const kept = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, '')
  return kept.replaceAll(' ', '-')
}

function leadsNowhere({ from, target }: Link): boolean {
  const [path = '', anchor] = target.split('#')
  const file = path ? join(dirname(from), path) : from
  if (!existsSync(join(root, file))) return true
  return anchor !== undefined && !anchorsOf(file).has(anchor)
}

test('Each link of a document leads to a file, and to a heading in it', () => {
  const links = documents.flatMap(linksOf)
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(leadsNowhere)).toEqual([])
})

test('Each page is linked from the index', () => {
  const linked = linksOf('docs/README.md').map(({ target }) => join('docs', target))
  const pages = documents.filter((document) => /^docs\/(use|operate|reference|build)\//.test(document))
  expect(pages.length).toBeGreaterThan(30)
  expect(pages.filter((page) => !linked.includes(page))).toEqual([])
})
