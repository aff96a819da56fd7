// `npm run build -- packages`: builds each library of sdk/ in its folder dist: JavaScript and types, a package.json that points at them,
// README and license; and the programs, in server/dist and cli/dist. The result is also packed into dist/signet-<name>-<version>.tgz,
// which `npm install` copies (a folder would only be linked) and `npm publish` publishes. Within the repository the sources are used.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { buildCliPackage } from './build-cli-package.ts'
import { buildServerPackage } from './build-server-package.ts'
import { publishedReadme } from './published-readme.ts'

const root = resolve(import.meta.dirname, '..')
/** Bytes, minified and gzipped: what a page loads of each. */
const maxScriptBytes = { browser: 5_000, management: 12 * 1024 }

export const packageNames = ['browser', 'management', 'webhooks'] as const
export type PackageName = (typeof packageNames)[number]

/** Writes the package of `sdk/<name>` into `folder`, over what is there. */
export async function buildPackage(name: PackageName, folder: string) {
  const source = join(root, 'sdk', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  compile(source, folder)
  writeFileSync(join(folder, 'package.json'), published(join(source, 'package.json')))
  writeFileSync(join(folder, 'README.md'), publishedReadme(`sdk/${name}/README.md`, `@signet/${name}`))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (name === 'browser') await buildScript(source, folder)
  if (name === 'management') await checkSize(source)
}

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

function compile(source: string, folder: string) {
  const emit = ['--noEmit', 'false', '--declaration', '--rewriteRelativeImportExtensions']
  const places = ['--rootDir', join(source, 'src'), '--outDir', folder]
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', source, ...emit, ...places], { stdio: 'inherit' })
}

/** The published package.json, whose entries are the built files instead of `./src/…`. */
function published(file: string): string {
  const { exports, ...rest }: { exports: Record<string, string>; private?: true; scripts?: object } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  // Both are only for the repository.
  delete rest.private
  delete rest.scripts
  const built = (path: string) => path.replace('./src/', './').replace(/\.ts$/, '')
  const places = (path: string) => ({ types: `${built(path)}.d.ts`, default: `${built(path)}.js` })
  const entries = Object.entries(exports).map(([entry, path]) => [entry, places(path)])
  return `${JSON.stringify({ ...rest, exports: Object.fromEntries(entries) }, null, 2)}\n`
}

/** For pages without a build step: the whole library in one script, as the global `Signet`. */
async function buildScript(source: string, folder: string) {
  const file = join(folder, 'signet.min.js')
  const bundle = await rolldown({ input: join(source, 'src/index.ts') })
  await bundle.write({ file, format: 'iife', name: 'Signet', minify: true })
  await bundle.close()
  requireSize('browser', readFileSync(file))
}

/** Of everything it has, as a page that uses every operation would load it. */
async function checkSize(source: string) {
  const bundle = await rolldown({ input: join(source, 'src/index.ts') })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  requireSize('management', output[0].code)
}

function requireSize(name: keyof typeof maxScriptBytes, script: string | Buffer) {
  const size = gzipSync(script).length
  const limit = maxScriptBytes[name]
  if (size >= limit) throw new Error(`@signet/${name}: ${size} bytes minified and gzipped, must be under ${limit}`)
}

/** The folder of each, and what builds it. */
const packages: [string, (folder: string) => Promise<void>][] = [
  ...packageNames.map((name): [string, (folder: string) => Promise<void>] => [
    `sdk/${name}`,
    (folder) => buildPackage(name, folder),
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
