// The package @signet/server as somebody has it who installed it. For its tests.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Fetchable } from '../../server/src/ground/runtime/fetchable.ts'
import { type Life, temporaryFolder } from '../../server/tests/support/program.ts'
import { packPackage } from './build-packages.ts'
import { buildServerPackage } from './build-server-package.ts'

const root = join(import.meta.dirname, '../..')

export type InstalledPackage = { place: string; program: string; packed: string; unpackedBytes: number }

/** As npm does, but for the registry: what the package asks for and does not bring, and nothing else, comes from this repository. */
export async function installServerPackage(folder: string): Promise<InstalledPackage> {
  await buildServerPackage(join(folder, 'built'))
  const { path: packed, unpackedSize: unpackedBytes } = packPackage(join(folder, 'built'), folder)
  const modules = join(folder, 'project/node_modules')
  const place = join(modules, '@signet/server')
  mkdirSync(dirname(place), { recursive: true })
  execFileSync('tar', ['-xzf', packed, '-C', folder])
  renameSync(join(folder, 'package'), place)
  const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies).filter((each) => !existsSync(join(place, 'node_modules', each)))) {
    const source = ['cli', '.'].map((from) => join(root, from, 'node_modules', name)).find(existsSync)
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(source ?? '', join(modules, name))
  }
  return { place, program: join(place, 'server/src/signet.js'), packed, unpackedBytes }
}

export const unreachable = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0' }

/** The settings of a user who has fetched before, and needs no registry. */
export function fetchedBefore(life: Life, { place }: InstalledPackage): Record<string, string> {
  const cache = temporaryFolder(life)
  mkdirSync(join(cache, 'signet'))
  const fetched: Fetchable[] = JSON.parse(readFileSync(join(place, 'fetched.json'), 'utf8'))
  for (const { name, version } of fetched.filter((each) => existsSync(join(root, 'node_modules', each.name))))
    symlinkSync(join(root, 'node_modules', name), join(cache, 'signet', `${name.replace('/', '+')}@${version}`))
  return { XDG_CACHE_HOME: cache, ...unreachable }
}

/** The command, run in that folder. */
export const inFolder = (folder: string, ...command: string[]) => [
  'sh',
  '-c',
  'cd "$0" && exec "$@"',
  folder,
  ...command,
]
