import type { Page } from './pages/index.ts'

/** What the search of the site loads: addresses and titles, and of each section its page, anchor, heading and text. */
export type SearchIndex = { pages: [address: string, title: string][]; sections: [page: number, anchor: string, heading: string, text: string][] }

export const searchIndex = (pages: Page[]): SearchIndex => ({
  pages: pages.map(({ address, title }) => [address, title]),
  sections: pages.flatMap(({ sections }, page) =>
    sections.map(({ anchor, heading, text }): SearchIndex['sections'][number] => [page, anchor, heading, text]),
  ),
})
