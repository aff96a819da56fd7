// The package @signet/server: the service with its console and its help, and the program `signet` with all commands.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildLibraryPackage } from './build-library-package.ts'
import { bundleThirdParty, importsOfBundled } from './bundle-third-party.ts'
import { compileProgram, dependenciesOn, readManifest } from './compile-program.ts'
import { fetchedPackages } from './fetched-packages.ts'
import { publishedReadme } from './published-readme.ts'

const root = resolve(import.meta.dirname, '../..')
const program = 'server/src/signet'
/** What is started: the program, the service, and a thread that it starts. */
const entries = [program, 'server/src/main', 'server/src/delivery/queue/sender/thread', 'scripts/dev']
/** What is served as it was built. */
const pages = ['console/dist', 'help/dist']

/** Writes the package into `folder`, over what is there. The console and the help have to be built before. */
export async function buildServerPackage(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const used = await compileProgram(entries, folder)
  chmodSync(join(folder, `${program}.js`), 0o755)
  copy('server/migrations', folder)
  for (const built of pages) copy(built, folder)
  await bundleThirdParty(join(folder, 'bundled'))
  writeFileSync(join(folder, 'fetched.json'), `${JSON.stringify(fetchedPackages(), null, 2)}\n`)
  // The receiver of `signet dev` is one to copy, and imports what a copy of it does.
  compileReceiver(folder)
  await buildLibraryPackage('webhooks', join(folder, 'node_modules/@signet/webhooks'))
  for (const file of ['LICENSE', 'signet.env.example']) copyFileSync(join(root, file), join(folder, file))
  const manifest = manifestOf(used)
  writeFileSync(join(folder, 'README.md'), publishedReadme('server/README.md'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

const copy = (path: string, folder: string) =>
  cpSync(join(root, path), join(folder, path), { recursive: true, filter: isNoStamp })

/** Of the build, whose sources are not in the package. */
const isNoStamp = (path: string) => !path.endsWith('.built-from')

function compileReceiver(folder: string) {
  const receiver = 'examples/receiver'
  const options = [
    '--ignoreConfig',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--strict',
    '--skipLibCheck',
  ]
  const ofSources = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions']
  const args = [join(root, receiver, 'receiver.ts'), ...options, ...ofSources, '--outDir', join(folder, receiver)]
  execFileSync(join(root, 'node_modules/.bin/tsc'), args, { stdio: 'inherit' })
}

/** Needs exactly what its modules import, in the versions that our own packages name. */
function manifestOf(used: string[]) {
  const { name, version, license, optionalDependencies: databases } = readManifest('server')
  const { name: webhooks, version: own } = readManifest('sdk/webhooks')
  return {
    ...{ name, version, description: readManifest('.').description, license, type: 'module' },
    // The service needs 24.12, and the commands that need only its interface this.
    engines: readManifest('cli').engines,
    bin: { signet: `./${program}.js` },
    exports: {},
    imports: importsOfBundled,
    dependencies: { [webhooks]: own, ...dependenciesOn(used, ['server', 'cli', 'proto', 'sdk/management']) },
    bundleDependencies: [webhooks],
    // Fetched when it is needed; one that is installed beside the package is used instead.
    peerDependencies: databases,
    peerDependenciesMeta: Object.fromEntries(Object.keys(databases).map((each) => [each, { optional: true }])),
  }
}
