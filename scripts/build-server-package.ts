// The package @signet/server: the service with its console, and the program `signet` with all commands.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { renderReference } from '../server/src/ground/http/document/render-reference.ts'
import { compileProgram, dependenciesOn, readManifest } from './compile-program.ts'
import { publishedReadme } from './published-readme.ts'

const root = resolve(import.meta.dirname, '..')
const program = 'server/src/signet'
/** What is started: the program, the service, and a thread that it starts. */
const entries = [program, 'server/src/main', 'server/src/delivery/queue/sender/thread']
/** What is served as it was built. */
const pages = ['console/dist', 'help/dist']

/** Writes the package into `folder`, over what is there. The console has to be built before. */
export async function buildServerPackage(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const used = await compileProgram(entries, folder, [readingReference])
  chmodSync(join(folder, `${program}.js`), 0o755)
  copy('server/migrations', folder)
  for (const built of pages) if (existsSync(join(root, built))) copy(built, folder)
  await writeReference(join(folder, 'server/reference'))
  for (const file of ['LICENSE', 'signet.env.example']) copyFileSync(join(root, file), join(folder, file))
  const manifest = manifestOf(used)
  writeFileSync(join(folder, 'README.md'), publishedReadme('server/README.md', manifest.name))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const copy = (path: string, folder: string) =>
  cpSync(join(root, path), join(folder, path), { recursive: true, filter: isNoStamp })

/** Of the build, whose sources are not in the package. */
const isNoStamp = (path: string) => !path.endsWith('.built-from')

/** In place of what renders the reference with the packages of its maker. */
const readingReference = {
  name: 'reading-reference',
  load: (id: string) =>
    id.endsWith('/render-reference.ts')
      ? `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
const read = (name) => readFileSync(join(import.meta.dirname, '../../../../reference', name))
export const renderReference = async () => ({ page: read('index.html'), script: read('scalar.js') })`
      : null,
}

async function writeReference(folder: string) {
  const { page, script } = await renderReference()
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'scalar.js'), script)
  const maker = dirname(dirname(import.meta.resolve('@scalar/fastify-api-reference').slice('file://'.length)))
  copyFileSync(join(maker, 'LICENSE'), join(folder, 'LICENSE'))
}

/** Needs exactly what its modules import, in the versions that our own packages name. */
function manifestOf(used: string[]) {
  const { name, version, license, optionalDependencies } = readManifest('server')
  return {
    ...{ name, version, description: readManifest('.').description, license, type: 'module' },
    // The service needs 24.12, and the commands that need only its interface this.
    engines: readManifest('cli').engines,
    bin: { signet: `./${program}.js` },
    exports: {},
    dependencies: dependenciesOn(used, ['server', 'cli', 'proto', 'sdk/management']),
    optionalDependencies,
  }
}
