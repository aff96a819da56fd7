import { relative } from 'node:path'
import Eleventy from '@11ty/eleventy'
import type MarkdownIt from 'markdown-it'
import type { Page } from './pages/index.ts'

/** A page with what it is made of. */
export type Template = { page: Page } & ({ markdown: string } | { html: string })

/** What Eleventy hands to the layout: copies of what a template was given, and its content. */
type Data = { document: { address: string }; content: string }

/** The pages as files, by Eleventy: it writes nothing itself, so that a site is replaced by a whole one. */
export async function render(
  templates: Template[],
  markdown: MarkdownIt,
  layOut: (page: Page, content: string) => string,
) {
  const pages = new Map(templates.map(({ page }) => [page.address, page]))
  const layout = ({ document: { address }, content }: Data) => layOut(pages.get(address) as Page, content)
  const eleventy = new Eleventy(relative(process.cwd(), import.meta.dirname), 'dist', {
    quietMode: true,
    configPath: false,
    config(configuration) {
      configuration.setUseGitIgnore(false)
      configuration.setTemplateFormats(['md', 'html'])
      configuration.setLibrary('md', markdown)
      configuration.addTemplate('_includes/page.11ty.js', layout)
      for (const template of templates) configuration.addTemplate(...virtual(template))
      return { markdownTemplateEngine: false, htmlTemplateEngine: false }
    },
  })
  eleventy.disableLogger()
  const files = await eleventy.toJSON()
  return files.map(({ outputPath, content }) => [relative('dist', outputPath), content] as const)
}

function virtual(template: Template): [path: string, content: string, data: object] {
  const { path, address } = template.page
  const name = address || 'index'
  const data = { document: { path, address }, layout: 'page.11ty.js', permalink: `${name}.html` }
  return 'markdown' in template ? [`${name}.md`, template.markdown, data] : [`${name}.html`, template.html, data]
}
