// Builds the console into console/dist.
import { join } from 'node:path'
import { buildWhenChanged } from './build-when-changed.mjs'

await buildWhenChanged({
  name: 'the console',
  folder: 'console',
  sources: () => [
    ...['console/src', 'sdk/management/src', 'examples'],
    ...['console/index.html', 'console/package.json', 'console/vite.config.ts', 'package-lock.json'],
  ],
  make: async () => {
    const { build } = await import('vite')
    const configFile = join(import.meta.dirname, '../console/vite.config.ts')
    const { output } = await build({ configFile, configLoader: 'native', logLevel: 'error', build: { write: false } })
    return output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source])
  },
})
