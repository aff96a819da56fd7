import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A document of the repository, and where its page lies below /help; the start page has the address ''. */
export type Source = { path: string; address: string; text: string }

const documents = [
  'docs/**/*.md',
  'sdk/*/README.md',
  'sdk/webhooks/conformance/README.md',
  'examples/receivers/README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
]

/** In the order of their paths, whatever the file system says: the same sources make the same bytes. */
export const readSources = (root: string): Source[] =>
  globSync(documents, { cwd: root })
    .sort()
    .map((path) => ({ path, address: addressOf(path), text: readFileSync(join(root, path), 'utf8') }))

/** `docs/use/keys.md` is `use/keys`, and a README is its folder. */
function addressOf(path: string) {
  const name = path.replace(/^docs\//, '').replace(/\.md$/, '')
  const folder = name.replace(/(^|\/)README$/, '')
  return folder.includes('/') ? folder : folder.toLowerCase()
}
