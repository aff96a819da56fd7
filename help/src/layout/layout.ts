import { type Door, escapeHtml as escaped, markdownOf, type Page, placeOf, relativeTo } from '../pages/index.ts'
import { searchFiles } from '../search-index.ts'

/** What every page is drawn with. A page without a path is made of no document, and has no Markdown. */
export type Site = { version: string; doors: Door[]; assets: Map<string, string> }

/** Ways from one page to addresses and assets. */
type Ways = { to(address: string): string; asset(name: string): string }

/** A whole page around its content. What has an id here has a dot in it, which no anchor of a heading has. */
export function layOut(page: Page, content: string, site: Site): string {
  const ways = waysFrom(page.address, site)
  return `<!doctype html>
<html lang="en">
${head(page, site, ways)}
<body>
<a class="skip" href="#help.content">Skip to the content</a>
${header(site, ways)}
<div class="columns">
${navigation(page, site, ways)}
<main id="help.content" tabindex="-1">
${breadcrumbs(page, site, ways)}<article>
${content}</article>
${neighbours(page, site, ways)}${footer(page, site, ways)}</main>
${contents(page)}</div>
</body>
</html>
`
}

/** The server shows it at every address that no page has, and puts the way from there to the help in place of the mark. */
const missing = '404'

function waysFrom(from: string, { assets }: Site): Ways {
  const to = (address: string) => (from === missing ? '{help}' : '') + relativeTo(from, address)
  return {
    to,
    asset(name) {
      const found = assets.get(name)
      if (!found) throw new Error(`There is no asset ${name}`)
      return to(found)
    },
  }
}

const head = ({ title, summary, address, path }: Page, { version }: Site, { to, asset }: Ways) => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(summary)}">
<title>${escaped(title)} · Signet ${escaped(version)}</title>
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
${path && `<link rel="alternate" type="text/markdown" href="${to(markdownOf(address))}">\n`}<link rel="stylesheet" href="${asset('help.css')}">
<script src="${asset('theme.js')}"></script>
<script type="module" src="${asset('help.js')}"></script>
</head>`

const header = ({ version }: Site, { to, asset }: Ways) => `<header class="top">
<a class="brand" href="${to('')}"><img src="${asset('icon.svg')}" width="26" height="26" alt="">Signet <span>Help</span></a>
<search class="search" data-index="${searchFiles.map(to).join(' ')}" data-root="${to('')}" hidden>
<input id="help.search" type="search" placeholder="Search" aria-label="Search the help" role="combobox" aria-expanded="false" aria-controls="help.results" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div id="help.results" role="listbox" aria-label="Results" hidden></div>
<p class="visually-hidden" role="status"></p>
</search>
<div class="tools"><a href="${to('versions')}"><span class="visually-hidden">Version </span>${escaped(version)}</a></div>
</header>`

/** Folded on narrow screens, where the style sheet opens it on wide ones. */
const navigation = (page: Page, site: Site, ways: Ways) => `<nav class="doors" aria-label="Pages">
<details class="menu"><summary>All pages</summary>
<div class="groups">
${site.doors.map((door) => group(door, page, site, ways)).join('\n')}
<p><a href="${ways.to('headings')}"${current(page.address === 'headings')}>All headings</a></p>
</div></details>
</nav>`

function group(door: Door, page: Page, { doors }: Site, { to }: Ways) {
  const open = placeOf(page, doors)?.door === door ? ' open' : ''
  const items = door.pages.map(
    (each) => `<li><a href="${to(each.address)}"${current(each === page)}>${escaped(each.title)}</a></li>`,
  )
  return `<details${open}><summary>${escaped(door.name)}</summary><ul>\n${items.join('\n')}\n</ul></details>`
}

const current = (isHere: boolean) => (isHere ? ' aria-current="page"' : '')

function breadcrumbs(page: Page, { doors }: Site, { to }: Ways) {
  const door = placeOf(page, doors)?.door
  if (!door) return ''
  const items = [
    `<li><a href="${to('')}">Help</a></li>`,
    `<li><a href="${to('')}#${door.anchor}">${escaped(door.name)}</a></li>`,
  ]
  return `<nav class="crumbs" aria-label="Where you are"><ol>${items.join('')}</ol></nav>\n`
}

function neighbours(page: Page, { doors }: Site, { to }: Ways) {
  const { previous, next } = placeOf(page, doors) ?? {}
  const link = (which: string, { address, title }: Page) =>
    `<a class="${which}" rel="${which === 'next' ? 'next' : 'prev'}" href="${to(address)}"><span>${which === 'next' ? 'Next' : 'Previous'}</span> ${escaped(title)}</a>`
  const links = [previous && link('previous', previous), next && link('next', next)].filter(Boolean)
  return links.length > 0 ? `<nav class="neighbours" aria-label="Neighbours">${links.join('\n')}</nav>\n` : ''
}

const footer = ({ address, path }: Page, { version }: Site, { to }: Ways) => `<footer>
<p>Signet ${escaped(version)} · <a href="${to('versions')}">Versions</a> · <a href="${to('changelog')}">Changelog</a>${path && ` · <a href="${to(markdownOf(address))}">This page as Markdown</a>`}</p>
</footer>
`

function contents({ headings }: Page) {
  const shown = headings.filter(({ level }) => level <= 3)
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ level, anchor, text: heading }) =>
      `<li class="level-${level}"><a href="#${anchor}">${escaped(heading)}</a></li>`,
  )
  return `<nav class="contents" aria-labelledby="help.contents"><h2 id="help.contents">On this page</h2><ul>\n${items.join('\n')}\n</ul></nav>\n`
}
