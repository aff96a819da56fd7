import { type Page, relativeTo, escapeHtml as text } from '../pages/index.ts'

/** A list of pages with what each is about, on a page that lies at the root of the site. */
export const pageList = (pages: Page[]) => `<ul class="pages">\n${pages.map(item).join('\n')}\n</ul>\n`

const item = ({ address, title, summary }: Page) =>
  `<li><a href="${relativeTo('', address)}">${text(title)}</a> <span>${text(summary)}</span></li>`
