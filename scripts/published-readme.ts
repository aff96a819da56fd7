// The README of a package as a reader at the registry has it.
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const installation = /<!-- until published -->\n[\s\S]*?<!-- once published -->\n/
const link = /\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g

/** Installs from the registry, by these commands, and links to nothing that is not in the package. */
export const publishedReadme = (page: string, ...commands: string[]): string =>
  readFileSync(join(root, page), 'utf8')
    .replace(installation, `\`\`\`sh\n${commands.join('\n')}\n\`\`\`\n`)
    .replace(/<!-- [\s\S]*? -->\n/g, '')
    .replace(link, (_, words, path) => `${words} (${placeOf(join(dirname(page), path))})`)

/** A running Signet serves the documentation. */
function placeOf(path: string): string {
  const [, page] = /^docs\/([^#]+)\.md/.exec(path) ?? []
  return page ? `\`/help/${page}\` of a running Signet` : `\`${path}\` in the repository`
}
