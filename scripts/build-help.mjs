// Builds the help into help/dist.
import { join } from 'node:path'
import { buildWhenChanged } from './build-when-changed.mjs'

const root = join(import.meta.dirname, '..')

await buildWhenChanged({
  name: 'the help',
  folder: 'help',
  sources: async () => {
    const { readSources } = await import('../help/src/pages/sources.ts')
    const drawnWith = ['docs/pictures', 'console/src/design', 'help/src', 'package.json', 'package-lock.json']
    return [...readSources(root).map(({ path }) => path), ...drawnWith]
  },
  make: async () => (await import('../help/src/index.ts')).makeSite(root),
})
