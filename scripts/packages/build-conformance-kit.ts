// `npm run build -- conformance-kit`: packs the conformance kit of receivers into dist/signet-receiver-conformance-<version>.tgz: the
// data, the page, and the programs as JavaScript, so that any Node from 20.11 runs them without another package.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { packPackage } from './build-packages.ts'

const root = resolve(import.meta.dirname, '../..')
const source = join(root, 'sdk/webhooks/conformance')
const data = ['vectors.json', 'vectors.schema.json', 'protocol.schema.json', 'test-only-keys.json']

/** Returns the path of the .tgz. */
export function buildConformanceKit(destination: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-conformance-kit-'))
  try {
    compile(folder)
    for (const file of data) copyFileSync(join(source, file), join(folder, file))
    writeFileSync(join(folder, 'package.json'), manifestOfKit(readFileSync(join(source, 'package.json'), 'utf8')))
    writeFileSync(join(folder, 'README.md'), pageOfKit(readFileSync(join(source, 'README.md'), 'utf8')))
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    return packPackage(folder, destination).path
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** JavaScript runs where TypeScript does not yet: `import.meta.dirname` is of 20.11. */
const manifestOfKit = (manifest: string) =>
  `${JSON.stringify({ ...JSON.parse(manifest), engines: { node: '>=20.11' } }, null, 2)}\n`

/** What it says to run is beside it, as JavaScript; what it links to is not there. */
function pageOfKit(page: string): string {
  return page.replace(/\b([a-z-]+)\.ts\b/g, '$1.js').replace(/\[([^\]]+)\]\(\.\.[^)]*\)/g, '$1')
}

function compile(folder: string) {
  const emit = ['--noEmit', 'false', '--rewriteRelativeImportExtensions', '--target', 'es2022', '--rootDir', source]
  const tsc = join(root, 'node_modules/.bin/tsc')
  execFileSync(tsc, ['-p', source, ...emit, '--outDir', folder], { stdio: 'inherit' })
}

if (import.meta.main) console.log(`Built: ${relative(root, buildConformanceKit(join(root, 'dist')))}`)
