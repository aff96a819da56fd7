import { relative } from 'node:path'
import Eleventy from '@11ty/eleventy'
import type MarkdownIt from 'markdown-it'
import type { Page } from './pages/index.ts'

/** A page with what it is made of. */
export type Template = { page: Page } & ({ markdown: string } | { html: string })

type Layout = (page: Page, content: string) => string

/** The pages as files, by Eleventy: it writes nothing itself, so that a site is replaced by a whole one. */
export async function render(templates: Template[], markdown: MarkdownIt, layOut: Layout) {
  const input = relative(process.cwd(), import.meta.dirname)
  const eleventy = new Eleventy(input, 'dist', {
    quietMode: true,
    configPath: false,
    config(configuration) {
      configuration.setUseGitIgnore(false)
      configuration.setTemplateFormats(['md', 'html'])
      configuration.setLibrary('md', markdown)
      configuration.addTemplate(`_includes/page.11ty.js`, ({ document, content }: { document: Page; content: string }) => layOut(document, content))
      for (const template of templates) {
        const { page } = template
        const name = page.address || 'index'
        const [ending, content] = 'markdown' in template ? ['md', template.markdown] : ['html', template.html]
        configuration.addTemplate(`${name}.${ending}`, content, { document: page, layout: 'page.11ty.js', permalink: `${name}.html` })
      }
      return { markdownTemplateEngine: false, htmlTemplateEngine: false }
    },
  })
  eleventy.disableLogger()
  const files = await eleventy.toJSON()
  return files.map(({ outputPath, content }) => [relative('dist', outputPath), content] as const)
}
