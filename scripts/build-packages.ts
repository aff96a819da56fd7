// `npm run build:packages`: makes of each library in sdk/ what is published, in its folder dist: JavaScript and types, a
// package.json that points at them, README and license. `npm publish sdk/webhooks/dist` then publishes it. In the repository
// itself nothing is built: there a package is its source.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '..')
/** Bytes, gzipped: what a page loads. */
const maxScriptBytes = 5_000

export const packageNames = ['browser', 'webhooks'] as const
export type PackageName = (typeof packageNames)[number]

/** Writes the package of `sdk/<name>` into `folder`, over what is there. */
export async function buildPackage(name: PackageName, folder: string) {
  const source = join(root, 'sdk', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  compile(source, folder)
  writeFileSync(join(folder, 'package.json'), published(join(source, 'package.json')))
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (name === 'browser') await buildScript(source, folder)
}

function compile(source: string, folder: string) {
  const emit = ['--noEmit', 'false', '--declaration', '--rewriteRelativeImportExtensions']
  const places = ['--rootDir', join(source, 'src'), '--outDir', folder]
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', source, ...emit, ...places], { stdio: 'inherit' })
}

/** `./src/index.ts` becomes what is made of it. */
function published(file: string): string {
  const { exports, ...rest }: { exports: Record<string, string>; private?: true; scripts?: object } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  // Both are for the repository.
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
  const size = gzipSync(readFileSync(file)).length
  if (size >= maxScriptBytes) throw new Error(`signet.min.js: ${size} bytes gzipped, must be under ${maxScriptBytes}`)
}

if (import.meta.main)
  for (const name of packageNames) {
    await buildPackage(name, join(root, 'sdk', name, 'dist'))
    console.log(`Built: sdk/${name}/dist`)
  }
