import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import type StateCore from 'markdown-it/lib/rules_core/state_core.mjs'
import type Token from 'markdown-it/lib/token.mjs'
import { createAnchors } from './anchors.ts'
import { highlight } from './highlight.ts'
import { type Places, relativeTo, resolveLink } from './links.ts'
import type { Source } from './sources.ts'

/** What is known where a document is rendered. */
type Environment = { document: LinkOrigin }

/** The document and the page that a link begins at. */
type LinkOrigin = Pick<Source, 'path' | 'address'>

/** Markdown as GitHub shows it, with the links of the site, and nothing that its policy forbids. */
export function createMarkdown(places: Places) {
  const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false })
  markdown.core.ruler.push('anchors', addAnchors)
  markdown.core.ruler.push('links', ({ tokens, env }) => rewriteLinks(tokens, (env as Environment).document, places))
  markdown.core.ruler.push('cells', ({ tokens }) => fixCells(tokens))
  const { rules } = markdown.renderer
  rules.html_block = rules.html_inline = (tokens, place) => allowedHtml(tokens[place]?.content ?? '')
  rules.file_close = (tokens, place) => tokens[place]?.content ?? ''
  rules.fence = (tokens, place) => codeBlock(tokens[place]?.content ?? '', tokens[place]?.info.trim() ?? '')
  rules.code_block = (tokens, place) => codeBlock(tokens[place]?.content ?? '', '')
  rules.table_open = () => '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  return markdown
}

export const { escapeHtml } = new MarkdownIt().utils

/** The text of a heading or a cell, without its marks. */
export const textOf = (token: Token | undefined) =>
  (token?.children ?? [])
    .map(({ type, content }) =>
      type === 'softbreak' || content.startsWith('<br') ? ' ' : type === 'html_inline' ? '' : content,
    )
    .join('')

function addAnchors({ tokens }: StateCore) {
  const anchorOf = createAnchors()
  for (const [place, token] of tokens.entries())
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(textOf(tokens[place + 1])))
  for (const [place, token] of tokens.entries())
    if (token.type === 'tr_open') addAnchorOfRow(token, tokens[place + 2], anchorOf)
}

/** A row of a table that begins with a name (a setting, an error, an event, a metric) is led to by that name. */
function addAnchorOfRow(row: Token, cell: Token | undefined, anchorOf: (name: string) => string) {
  const parts = cell?.children ?? []
  const [first, ...others] = parts.filter(({ type }) => type !== 'html_inline')
  const name = others.length === 0 && first?.type === 'code_inline' ? first.content : ''
  if (!/^[A-Za-z][\w.]*$/.test(name)) return
  const own = parts.map(({ content }) => / (?:id|name)="([^"]+)"/.exec(content)?.[1]).find(Boolean)
  const anchor = own ?? anchorOf(name)
  if (!own) row.attrSet('id', anchor)
  row.meta = { name, anchor }
}

function rewriteLinks(tokens: Token[], from: LinkOrigin, places: Places) {
  for (const token of tokens) {
    let shown: Shown | undefined
    for (const child of token.children ?? []) {
      if (child.type === 'image') child.attrSet('src', pictureOf(child.attrGet('src') ?? '', from, places))
      if (child.type === 'link_open') shown = openLink(child, from, places)
      else if (child.type === 'link_close') closeLink(child, shown)
      else if (shown) shown.text += child.content
    }
  }
}

/** The text of a link so far, and which file it names, where that has no page. */
type Shown = { text: string; file: string | undefined }

function openLink(opening: Token, from: LinkOrigin, places: Places): Shown {
  const link = resolveLink(opening.attrGet('href') ?? '', from.path, places)
  const become = (tag: string, attributes: Record<string, string>) =>
    Object.assign(opening, { tag, attrs: Object.entries(attributes) })
  if ('page' in link) become('a', { href: hrefOf(link, from) })
  if ('picture' in link) become('a', { href: relativeTo(from.address, link.picture) })
  if ('outside' in link) become('a', { href: link.outside, rel: 'noreferrer' })
  if ('file' in link) become('span', { class: 'file', title: link.file })
  return { text: '', file: 'file' in link ? link.file : undefined }
}

/** A file without a page is named by the text of its link, or after it; a test is named by its title. */
function closeLink(closing: Token, shown: Shown | undefined) {
  if (!shown?.file) return
  closing.tag = 'span'
  const { file, text } = shown
  if (text.includes(posix.basename(file)) || file.endsWith('.test.ts')) return
  Object.assign(closing, { type: 'file_close', content: `</span>, <code>${escapeHtml(file)}</code>` })
}

const hrefOf = ({ page, hash }: { page: string; hash: string }, { address }: LinkOrigin) =>
  page === address && hash ? hash : relativeTo(address, page) + hash

function pictureOf(source: string, from: LinkOrigin, places: Places) {
  const link = resolveLink(source, from.path, places)
  if (!('picture' in link)) throw new Error(`${from.path}: the picture ${source} is not in docs/pictures`)
  return relativeTo(from.address, link.picture)
}

/** markdown-it writes a style attribute, which the policy forbids, and heads without a text, which head nothing. */
function fixCells(tokens: Token[]) {
  for (const [place, token] of tokens.entries()) {
    const style = /^t[hd]_open$/.test(token.type) && token.attrGet('style')
    if (style) token.attrs = [['class', style.replace('text-align:', '')]]
    const [content, closing] = tokens.slice(place + 1, place + 3)
    if (token.type === 'th_open' && content?.content === '' && closing) token.tag = closing.tag = 'td'
  }
}

/** Comments are for the tests of the documents. Other HTML would not be read by GitHub's readers, or break the policy. */
function allowedHtml(html: string) {
  const rest = html.replace(/<!--.*?-->/gs, '').trim()
  if (rest !== '' && !/^(<br ?\/?>|<a (id|name)="[\w.-]+">|<\/a>)+$/.test(rest))
    throw new Error(`HTML in a document: ${rest}`)
  return rest
}

function codeBlock(code: string, language: string) {
  const content = highlight(code, language) ?? escapeHtml(code)
  const name = language && language !== 'text' ? `<span>${escapeHtml(language)}</span>` : ''
  return `<div class="code"><div class="code-head">${name}</div><pre tabindex="0"><code>${content}</code></pre></div>\n`
}
