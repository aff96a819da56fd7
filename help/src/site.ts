import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAssets } from './assets.ts'
import { headingsPage, layOut, startPage, versionsPage } from './layout/index.ts'
import { llmsText } from './llms.ts'
import {
  createMarkdown,
  type Door,
  markdownOf,
  type Page,
  type Places,
  plainText,
  readDoors,
  readPage,
  readSources,
} from './pages/index.ts'
import { render, type Template } from './render.ts'
import { searchIndexes } from './search-index.ts'

/** A page that is made here. */
const made = (address: string, title: string): Page => ({
  path: '',
  address,
  text: '',
  title,
  summary: title,
  headings: [],
  sections: [],
})

const missingPage = `<h1>There is no such page</h1>
<p>It may have another name now. The search finds each page by what it says.</p>
`

/** All files of the site by their names. The same sources make the same bytes. */
export async function makeSite(root: string): Promise<Map<string, string | Buffer>> {
  const sources = readSources(root)
  const assets = readAssets(root)
  const places: Places = { pages: new Map(sources.map(({ path, address }) => [path, address])), pictures: assets.names }
  const markdown = createMarkdown(places)
  const pages = sources.map((source) => readPage(source, markdown))
  const start = pages.find(({ address }) => address === '')
  if (!start) throw new Error('docs/README.md is missing')
  const tokens = markdown.parse(start.text, { document: start })
  const doors = readDoors(pages, tokens)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const site = { version, doors, assets: assets.names }
  const templates: Template[] = [
    {
      page: { ...start, title: 'Help' },
      html: startPage(tokens, doors, markdown, assets.names.get('docs/pictures/signet.svg') ?? ''),
    },
    ...pages.filter((page) => page !== start).map((page) => ({ page, markdown: page.text })),
    { page: made('versions', 'Versions'), html: versionsPage(version, pages) },
    { page: made('headings', 'All headings'), html: headingsPage(doors) },
    { page: made('404', 'There is no such page'), html: missingPage },
  ]
  return new Map<string, string | Buffer>([
    ...(await render(templates, markdown, (page, content) => layOut(page, content, site))),
    ...pages.map((page) => [markdownOf(page.address), plainText(page, places)] as const),
    ...searchIndexes(inOrder(pages, doors)),
    ['llms.txt', llmsText(version, doors)],
    ...assets.files,
  ])
}

/** As readers come to them: of two results that are as good, the one on the earlier page is the first. */
const inOrder = (pages: Page[], doors: Door[]) => [...new Set([...doors.flatMap((door) => door.pages), ...pages])]
