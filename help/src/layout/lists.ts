import { type Page, escapeHtml as text, relativeTo } from '../pages/index.ts'

/** Lists of pages, on pages that lie at the root of the site. */
export const pageList = (pages: Page[]) => `<ul class="list">\n${pages.map(item).join('\n')}\n</ul>\n`

const item = ({ address, title }: Page) => `<li><a href="${relativeTo('', address)}">${text(title)}</a></li>`
