// A library of sdk/ as a package: JavaScript and types, a package.json that points at them, README and license.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { publishedReadme } from './published-readme.ts'

const root = resolve(import.meta.dirname, '../..')
/** Bytes, minified and gzipped: what a page loads of each. */
const maxScriptBytes = { browser: 5_000, management: 12 * 1024 }

export const libraries = ['browser', 'management', 'webhooks'] as const
export type Library = (typeof libraries)[number]

/** Writes the package of `sdk/<name>` into `folder`, over what is there. */
export async function buildLibraryPackage(name: Library, folder: string) {
  const source = join(root, 'sdk', name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  compile(source, folder)
  writeFileSync(join(folder, 'package.json'), published(join(source, 'package.json')))
  writeFileSync(join(folder, 'README.md'), publishedReadme(`sdk/${name}/README.md`))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (name === 'browser') await buildScript(source, folder)
  if (name === 'management') await checkSize(source)
}

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
