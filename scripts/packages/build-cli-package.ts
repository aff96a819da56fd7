// The package @signet/cli: the commands that need nothing but the interface of a service, for those who have only an account at a Signet
// elsewhere. One program is called `signet`, that of @signet/server, so this one has another name; `npx @signet/cli` finds it.
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { compileProgram, dependenciesOn, readManifest } from './compile-program.ts'
import { publishedReadme } from './published-readme.ts'

const root = resolve(import.meta.dirname, '../..')
const program = 'cli/src/main'

/** Writes the package into `folder`, over what is there. */
export async function buildCliPackage(folder: string) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const used = await compileProgram([program], folder)
  chmodSync(join(folder, `${program}.js`), 0o755)
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const { name, version, description, license, engines } = readManifest('cli')
  writeFileSync(join(folder, 'README.md'), publishedReadme('cli/README.md'))
  const manifest = {
    ...{ name, version, description, license, type: 'module', engines },
    bin: { 'signet-cli': `./${program}.js` },
    exports: {},
    dependencies: dependenciesOn(used, ['cli', 'sdk/management']),
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
