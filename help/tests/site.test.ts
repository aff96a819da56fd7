import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { find, sectionsOf, termsOf } from '../src/browser/ranking.js'
import { makeSite } from '../src/index.ts'

const root = join(import.meta.dirname, '../..')
let files: Map<string, string | Buffer>
let pages: [name: string, html: string][]

beforeAll(async () => {
  files = await makeSite(root)
  pages = [...files].filter(([name]) => name.endsWith('.html')).map(([name, html]) => [name, String(html)])
})

const textOf = (name: string) => String(files.get(name) ?? '')
const linksIn = (html: string) => [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => link)
const isOutside = (link: string) => /^https?:\/\//.test(link)

/** The file that a link of a page leads to: a page by its address without an ending. The server puts a way in place of the mark. */
function targetOf(link: string, from: string) {
  const [written = ''] = link.split('#')
  if (!written) return from
  const path = posix.join(posix.dirname(from), written.replace('{help}', './'))
  if (path === './' || path === '.') return 'index.html'
  return files.has(path) ? path : `${path}.html`
}

function leadsNowhere(link: string, from: string) {
  const [, anchor] = link.split('#')
  const html = textOf(targetOf(link, from))
  return html === '' || (anchor !== undefined && !html.includes(` id="${anchor}"`))
}

test('Each link of each page leads to a file, and to an anchor in it', () => {
  const dead = pages.flatMap(([name, html]) =>
    linksIn(html)
      .filter((link) => !isOutside(link) && leadsNowhere(link, name))
      .map((link) => `${name}: ${link}`),
  )
  expect(dead).toEqual([])
})

test('Each page is reached from the navigation', () => {
  const navigation = /<nav class="doors".*?<\/nav>/s.exec(textOf('use/hooks.html'))?.[0] ?? ''
  const reached = new Set(linksIn(navigation).map((link) => targetOf(link, 'use/hooks.html')))
  const others = ['index.html', 'versions.html', '404.html']
  expect(pages.map(([name]) => name).filter((name) => !reached.has(name) && !others.includes(name))).toEqual([])
})

test('The doors and their pages stand in the order of the index of the documents', () => {
  const start = textOf('index.html')
  const names = [...start.matchAll(/<summary>([^<]*)<\/summary>/g)].map(([, name]) => name)
  const doors = readFileSync(join(root, 'docs/README.md'), 'utf8').matchAll(/^## You (.*)$/gm)
  const expected = [...doors].map(([, name = '']) => name.charAt(0).toUpperCase() + name.slice(1).replace("'", '&#39;'))
  expect(names.map((name) => name?.replace("'", '&#39;'))).toEqual(['All pages', ...expected, 'Look up', 'Decisions'])
  expect(start.indexOf('use/signing-in"')).toBeLessThan(start.indexOf('use/protect-an-api"'))
})

test('Pages of a path lead to those before and after them', () => {
  const html = textOf('use/protect-an-api.html')
  expect(html).toMatch(/<a class="previous" rel="prev" href="signing-in">/)
  expect(html).toMatch(/<a class="next" rel="next" href="single-logout">/)
})

test('Nothing is inline, and nothing comes from elsewhere', () => {
  for (const [name, html] of pages) {
    const tags = html.match(/<[a-z][^>]*>/g)?.join('\n') ?? ''
    expect(tags, name).not.toMatch(
      /\sstyle=|\son[a-z]+=|javascript:|data:[a-z]+\/|<style|<script(?! src=| type="module" src=)|<iframe|<form|<base|<object|<embed/,
    )
    expect(html, name).not.toMatch(/<!--|<script[^>]*>[^<]/)
    const loaded = [...html.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g)].map(([, link = '']) => link)
    expect(loaded.filter(isOutside), name).toEqual([])
    expect(
      linksIn(html).filter((link) => link.startsWith('/')),
      name,
    ).toEqual([])
  }
  for (const [name, content] of files)
    if (/\.(css|js)$/.test(name))
      expect(String(content), name).not.toMatch(/['"]https?:|url\(|@import|eval\(|\bFunction\(|\.style\b/)
})

test('Each page has a title, landmarks, headings in order, and each id once', () => {
  for (const [name, html] of pages) {
    expect(html, name).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html, name).toMatch(/<title>[^<]+ · Signet [\d.]+<\/title>/)
    const article = /<article>.*<\/article>/s.exec(html)?.[0] ?? ''
    const levels = [...article.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
    expect(
      levels.filter((level) => level === 1),
      name,
    ).toHaveLength(1)
    for (const [place, level] of levels.entries()) expect(level, name).toBeLessThanOrEqual((levels[place - 1] ?? 0) + 1)
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(
      ids.filter((id, place) => ids.indexOf(id) !== place),
      name,
    ).toEqual([])
  }
})

test('Beside each document lies its Markdown, and all that it and llms.txt lead to is there', () => {
  expect(files.has('use/hooks.md')).toBe(true)
  for (const [name, content] of files) {
    if (!/\.md$|^llms\.txt$/.test(name)) continue
    const text = String(content).replace(/^ *```.*?^ *```$|`[^`\n]+`/gms, '')
    const links = [...text.matchAll(/\]\(([^()\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
    const missing = links.filter((link) => !files.has(posix.join(posix.dirname(name), link.split('#')[0] ?? '')))
    expect(missing, name).toEqual([])
  }
})

test('The search finds each setting, event, metric and error by its name, and leads to where it is told', () => {
  const sections = ['search.json', 'search-code.json'].flatMap((name) => sectionsOf(JSON.parse(textOf(name))))
  const named = ['settings', 'events', 'metrics', 'errors'].flatMap((page) => namesOn(`reference/${page}`))
  const lost = named.filter(({ name, page }) =>
    find(sections, termsOf(name), 3).every(({ address }) => address !== page),
  )
  expect(named.length).toBeGreaterThan(150)
  expect(lost).toEqual([])
})

/** Headings and rows that are a name: at least two parts. */
const namesOn = (page: string) =>
  [...textOf(`${page}.html`).matchAll(/<(?:h[23]|tr) id="[^"]*">\s*(?:<td>)?(?:<code>)?(\w+_\w+)</g)].map(
    ([, name = '']) => ({ name, page }),
  )

test('The search is small: its program, and each part of its index', () => {
  const program = [...files]
    .filter(([name]) => /\/(search|ranking)-.*\.js$/.test(name))
    .map(([, content]) => String(content))
  expect(program).toHaveLength(2)
  expect(gzipSync(program.join('')).length).toBeLessThan(5_000)
  for (const name of ['search.json', 'search-code.json']) expect(gzipSync(textOf(name)).length).toBeLessThan(300_000)
})

test('The same sources make the same bytes', async () => {
  expect([...(await makeSite(root))]).toEqual([...files])
})
