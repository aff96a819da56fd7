import type { Page } from './pages/index.ts'

/** What the search of the site loads: addresses and titles, and of each section its page, anchor, heading and text. */
export type SearchIndex = {
  pages: [address: string, title: string][]
  sections: [page: number, anchor: string, heading: string, text: string][]
}

/** Why it is so, and how it is tested: few ask for it, and it is 40 % of all text. */
const ofCode = /^docs\/(build|decisions)\/|^docs\/(architecture|tested)\.md$|^CONTRIBUTING\.md$/

/** Two files, of 185 and 134 kB compressed: the first, which most answers are in, comes before the second. */
export const searchFiles = ['search.json', 'search-code.json'] as const

export const searchIndexes = (pages: Page[]): Map<string, string> =>
  new Map([
    [searchFiles[0], JSON.stringify(indexOf(pages.filter(({ path }) => !ofCode.test(path))))],
    [searchFiles[1], JSON.stringify(indexOf(pages.filter(({ path }) => ofCode.test(path))))],
  ])

const indexOf = (pages: Page[]): SearchIndex => ({
  pages: pages.map(({ address, title }) => [address, title]),
  sections: pages.flatMap(({ sections }, page) =>
    sections.map(({ anchor, heading, text }): SearchIndex['sections'][number] => [page, anchor, heading, text]),
  ),
})
