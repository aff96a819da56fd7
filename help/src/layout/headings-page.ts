import { type Door, escapeHtml as escaped, type Page, relativeTo } from '../pages/index.ts'

/** Every heading of every page: what search finds, for whoever has no JavaScript. */
export const headingsPage = (doors: Door[]) => `<h1>All headings</h1>
<p>For the search of your browser. The field above finds what stands below the headings, too.</p>
${doors.map(({ name, pages }) => `<h2>${escaped(name)}</h2>\n<ul>\n${pages.map(ofPage).join('\n')}\n</ul>`).join('\n')}
`

const ofPage = ({ address, title, headings }: Page) => {
  const to = relativeTo('', address)
  const items = headings.map(
    ({ anchor, text: heading }) => `<li><a href="${to}#${anchor}">${escaped(heading)}</a></li>`,
  )
  return `<li><a href="${to}">${escaped(title)}</a>${items.length > 0 ? `<ul>${items.join('\n')}</ul>` : ''}</li>`
}
