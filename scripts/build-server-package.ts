// The package @signet/server: the service with its console, and the program `signet` with all commands. Its folders are those of
// the repository, so that what finds a file beside itself finds it there too: the modules of `server` and of what it uses in
// JavaScript, because Node does not run TypeScript below node_modules; the migrations; and the console built. What others wrote is not
// in it: npm installs those packages.
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '..')
const program = 'server/src/signet'
/** What is started: the program, the service, and a thread that it starts. */
const entries = [program, 'server/src/main', 'server/src/delivery/queue/sender/thread']

/** Writes the package into `folder`, over what is there. The console has to be built before. */
export async function buildServerPackage(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const used = await compile(folder)
  chmodSync(join(folder, `${program}.js`), 0o755)
  cpSync(join(root, 'server/migrations'), join(folder, 'server/migrations'), { recursive: true })
  cpSync(join(root, 'console/dist'), join(folder, 'console/dist'), { recursive: true, filter: isNoStamp })
  for (const file of ['LICENSE', 'signet.env.example']) copyFileSync(join(root, file), join(folder, file))
  const readme = withoutLinks('docs/reference/command-line.md')
  writeFileSync(join(folder, 'README.md'), readme)
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(used), null, 2)}\n`)
}

/** Of the build, whose sources are not in the package. */
const isNoStamp = (path: string) => !path.endsWith('.built-from')

/** Returns the names of the packages of others that the modules import. */
async function compile(folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: entries.map((entry) => join(root, `${entry}.ts`)),
    platform: 'node',
    external: isOfOthers,
    treeshake: false,
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' }
  const kept = { preserveModules: true, preserveModulesRoot: root }
  const { output } = await bundle.write({ dir: folder, format: 'es', ...kept, ...names })
  await bundle.close()
  const written = new Set(output.map(({ fileName }) => fileName))
  const imported = output.flatMap((each) => (each.type === 'chunk' ? [...each.imports, ...each.dynamicImports] : []))
  return [...new Set(imported.filter((id) => !written.has(id) && !isBuiltin(id)).map(packageOf))].sort()
}

const isOfOthers = (id: string) => !/^[./]|^@signet\//.test(id)

const packageOf = (id: string) => /^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id

type Manifest = {
  name: string
  version: string
  description: string
  license: string
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))

/** Needs exactly what its modules import, in the versions that our own packages name. */
function manifestOf(used: string[]) {
  const own: Manifest[] = ['server', 'cli', 'proto', 'sdk/management'].map((folder) => read(`${folder}/package.json`))
  const [server] = own as [Manifest]
  const versions: Record<string, string> = Object.assign({}, ...own.map(({ dependencies }) => dependencies))
  const versionOf = (name: string) => {
    if (!versions[name]) throw new Error(`no package of ours names the version of ${name}`)
    return versions[name]
  }
  const { name, version, license, optionalDependencies } = server
  const { description } = read('package.json')
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    // The service needs 24.12, and the commands that need only its interface this.
    engines: read('cli/package.json').engines,
    bin: { signet: `./${program}.js` },
    exports: {},
    dependencies: Object.fromEntries(used.map((each) => [each, versionOf(each)])),
    optionalDependencies,
  }
}

/** A page whose links to pages that are not in the package are their names instead. */
const withoutLinks = (page: string) =>
  readFileSync(join(root, page), 'utf8').replace(
    /\[([^\]]+)\]\((?!https?:|#)([^)]+)\)/g,
    (_, text, path) => `${text} (\`${join(dirname(page), path)}\` in a clone)`,
  )
