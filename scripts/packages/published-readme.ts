// The README of a package as a reader at the registry has it.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { oncePublished } from './once-published.ts'

const root = resolve(import.meta.dirname, '../..')
const link = /\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g

/** Says what is true once it is published, and links to nothing that is not in the package. */
export const publishedReadme = (page: string): string =>
  oncePublished(readFileSync(join(root, page), 'utf8'))
    .replace(/<!-- [\s\S]*? -->\n/g, '')
    .replace(link, (_, words, path) => `${words} (${placeOf(join(dirname(page), path))})`)

/** A running Signet serves the documentation. */
function placeOf(path: string): string {
  const [, page] = /^docs\/([^#]+)\.md/.exec(path) ?? []
  return page ? `\`/help/${page}\` of a running Signet` : `\`${path}\` in the repository`
}
