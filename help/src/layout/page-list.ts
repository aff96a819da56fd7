import { escapeHtml as escaped, type Page, relativeTo } from '../pages/index.ts'

/** A list of pages with what each is about, on a page that lies at the root of the site. */
export const pageList = (pages: Page[]) => `<ul class="pages">\n${pages.map(item).join('\n')}\n</ul>\n`

const item = ({ address, title, summary }: Page) =>
  `<li><a href="${relativeTo('', address)}">${escaped(title)}</a> <span>${escaped(summary)}</span></li>`
