// Packages of others that @signet/server brings itself, in its folder `bundled`: where the packages are large and what is needed of them is small.
// Their licenses are beside it, and `packages.json` names them for a bill of materials.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { renderReference } from '../../server/src/ground/http/document/render-reference.ts'

const root = resolve(import.meta.dirname, '../..')

/** OpenTelemetry: ten packages and 13 MB, of which OTEL_* needs 0.2 MB. `prom-client` needs `@opentelemetry/api` as a package, too. */
export const isBundled = (id: string) => /^@opentelemetry\/(?!api$)/.test(id)
const renderer = '@scalar/fastify-api-reference'

/** The modules of the service find in `bundled` what it has. */
export const resolveBundled = {
  name: 'resolve-bundled',
  resolveId: (id: string) =>
    isBundled(id) ? { id: id.replace('@opentelemetry/', '#opentelemetry/'), external: true } : null,
  load: (id: string) => (id.endsWith('/render-reference.ts') ? readingReference : null),
}

/** Of the package's package.json. */
export const importsOfBundled = { '#opentelemetry/*': './bundled/opentelemetry/*.js' }

const readingReference = `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
const read = (name) => readFileSync(join(import.meta.dirname, '../../../../../bundled/reference', name))
export const renderReference = async () => new Map([['/docs/', read('index.html')], ['/docs/js/scalar.js', read('scalar.js')]])`

/** Writes the folder `bundled`. */
export async function bundleThirdParty(folder: string) {
  const names = [renderer, ...(await bundleTelemetry(join(folder, 'opentelemetry')))].sort()
  await writeReference(join(folder, 'reference'))
  writeFileSync(join(folder, 'packages.json'), `${JSON.stringify(names.map(describe), null, 2)}\n`)
  writeFileSync(join(folder, 'LICENSES'), licensesOf(names))
}

/** Gives the packages that are in it. */
async function bundleTelemetry(folder: string): Promise<string[]> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'))
  const libraries = Object.keys(dependencies).filter(isBundled)
  const input = Object.fromEntries(libraries.map((name) => [name.replace('@opentelemetry/', ''), name]))
  const bundle = await rolldown({ input, cwd: root, platform: 'node', external: ['@opentelemetry/api'] })
  const { output } = await bundle.write({ dir: folder, format: 'es', chunkFileNames: '[name].js' })
  await bundle.close()
  const modules = output.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []))
  return [...new Set(modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []))]
}

async function writeReference(folder: string) {
  mkdirSync(folder)
  for (const [path, content] of await renderReference())
    writeFileSync(join(folder, path.split('/').at(-1) || 'index.html'), content)
}

function describe(name: string) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { version, license, integrity } = packages[`node_modules/${name}`]
  return { name, version, license, integrity }
}

/** Each text once, after the names of those that have it. */
const licensesOf = (names: string[]) =>
  [...Map.groupBy(names, (name) => readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8'))]
    .map(([text, holders]) => `${holders.join('\n')}\n\n${text}`)
    .join('\n\n')
