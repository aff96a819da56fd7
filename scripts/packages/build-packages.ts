// `npm run build -- packages`: builds each library of sdk/ in its folder dist, and the programs in server/dist and cli/dist. The result is also
// packed into dist/signet-<name>-<version>.tgz, which `npm install` copies (a folder would only be linked) and `npm publish` publishes.
// Within the repository the sources are used.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildCliPackage } from './build-cli-package.ts'
import { buildLibraryPackage, libraries } from './build-library-package.ts'
import { buildServerPackage } from './build-server-package.ts'

const root = resolve(import.meta.dirname, '../..')

type Packed = { path: string; size: number; unpackedSize: number }

/** Packs the package in `folder` into the folder `destination`, as a .tgz. */
export function packPackage(folder: string, destination: string): Packed {
  mkdirSync(destination, { recursive: true })
  const args = ['pack', folder, '--pack-destination', destination, '--json', '--ignore-scripts']
  const [{ filename, size, unpackedSize }] = JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  return { path: join(destination, filename), size, unpackedSize }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`

/** The folder of each, and what builds it. */
const packages: [string, (folder: string) => Promise<void>][] = [
  ...libraries.map((name): [string, (folder: string) => Promise<void>] => [
    `sdk/${name}`,
    (folder) => buildLibraryPackage(name, folder),
  ]),
  ['cli', buildCliPackage],
  ['server', buildServerPackage],
]

if (import.meta.main)
  for (const [source, build] of packages) {
    const folder = join(root, source, 'dist')
    await build(folder)
    const { path, size, unpackedSize } = packPackage(folder, join(root, 'dist'))
    console.log(`Built: ${relative(root, path)}, ${megabytes(size)} (${megabytes(unpackedSize)} unpacked)`)
  }
