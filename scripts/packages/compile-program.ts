// What the packages @signet/server and @signet/cli are made of: our own modules in JavaScript, because Node does not run TypeScript below
// node_modules, in the folders of the repository, so that what finds a file beside itself finds it there too. What others wrote is not in
// them: npm installs those packages.
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { isBundled, resolveBundled } from './bundle-third-party.ts'

const root = resolve(import.meta.dirname, '../..')

/** Writes the entries, and what they use of ours, into `folder`. Returns the names of the packages of others that they import. */
export async function compileProgram(entries: string[], folder: string): Promise<string[]> {
  const bundle = await rolldown({
    input: entries.map((entry) => join(root, `${entry}.ts`)),
    platform: 'node',
    external: isInstalled,
    treeshake: false,
    plugins: [resolveBundled],
  })
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' }
  const kept = { preserveModules: true, preserveModulesRoot: root }
  const { output } = await bundle.write({ dir: folder, format: 'es', ...kept, ...names })
  await bundle.close()
  const written = new Set(output.map(({ fileName }) => fileName))
  const imported = output.flatMap((each) => (each.type === 'chunk' ? [...each.imports, ...each.dynamicImports] : []))
  return [
    ...new Set(imported.filter((id) => !written.has(id) && !isBuiltin(id) && !id.startsWith('#')).map(packageOf)),
  ].sort()
}

const isInstalled = (id: string) => !/^[./]|^@signet\//.test(id) && !isBundled(id)

const packageOf = (id: string) => /^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? id

export type Manifest = {
  name: string
  version: string
  description: string
  license: string
  engines: { node: string }
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

export const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

/** Exactly what the modules import, in the versions that our own packages in `folders` name. */
export function dependenciesOn(used: string[], folders: string[]): Record<string, string> {
  const versions: Record<string, string> = Object.assign(
    {},
    ...folders.map((folder) => readManifest(folder).dependencies),
  )
  const versionOf = (name: string) => {
    if (!versions[name]) throw new Error(`no package of ours names the version of ${name}`)
    return versions[name]
  }
  return Object.fromEntries(used.map((name) => [name, versionOf(name)]))
}
