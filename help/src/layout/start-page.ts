import type MarkdownIt from 'markdown-it'
import type Token from 'markdown-it/lib/token.mjs'
import { type Door, escapeHtml as escaped, type Page } from '../pages/index.ts'
import { pageList } from './page-list.ts'

/** The doors as cards, the whole path behind each, and what there is to look up. */
export function startPage(tokens: Token[], doors: Door[], markdown: MarkdownIt, picture: string) {
  const render = (some: Token[]) => markdown.renderer.render(some, markdown.options, {})
  const paths = doors.slice(0, -2)
  const [lookUp, decisions] = doors.slice(-2) as [Door, Door]
  return `<h1>Help</h1>
<p class="lead">Find yourself below, begin with the first page, and follow the order.</p>
<ul class="cards">
${paths.map((door) => card(door, firstItem(tokens, door), render)).join('\n')}
</ul>
<img class="wide" src="${picture}" width="960" height="430" alt="How Signet works: applications sign people in by OpenID Connect through the providers of each customer, backends keep persons and groups by the HTTP API, and each change is signed and sent to webhooks, and kept in the feed.">
${render(pathsOf(tokens))}${section(lookUp, lookUp.pages)}${section(decisions, decisions.pages.slice(0, 1))}`
}

const section = ({ name, anchor }: Door, pages: Page[]) =>
  `<h2 id="${anchor}">${escaped(name)}</h2>\n${pageList(pages)}`

const card = ({ anchor }: Door, { heading, item }: Item, render: (tokens: Token[]) => string) =>
  `<li><a href="#${anchor}">${escaped(heading)}</a><p>${render([item])}</p></li>`

type Item = { heading: string; item: Token }

function firstItem(tokens: Token[], { anchor }: Door): Item {
  const place = tokens.findIndex((token) => token.attrGet('id') === anchor)
  const heading = tokens[place + 1]?.content ?? ''
  const item = tokens.slice(place + 2).find(({ type }) => type === 'inline')
  if (!item) throw new Error(`"${heading}" has no page`)
  return { heading, item }
}

/** Headings and lists: the paragraph after them is what the section to look up is made of. */
function pathsOf(tokens: Token[]) {
  const begin = tokens.findIndex(({ tag }) => tag === 'h2')
  const end = tokens.findLastIndex(({ type, level }) => type === 'ordered_list_close' && level === 0)
  return tokens.slice(begin, end + 1)
}
