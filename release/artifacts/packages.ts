import { copyFileSync, globSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Copy } from '../copy.ts'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'
import { sha256Of } from './checksums.ts'

/** A package for npm's registry. */
export type Package = { name: string; file: string }

/** Those that are published. */
export const packageNames = [
  '@signet/browser',
  '@signet/cli',
  '@signet/management',
  '@signet/server',
  '@signet/webhooks',
]

/** Builds them into `folder`, by `npm run build -- packages` in the copy. Built a second time, they have to be the same bytes. */
export async function makePackages(copy: Copy, folder: string, place: Workplace): Promise<Package[]> {
  const first = await build(copy, place)
  for (const file of first) copyFileSync(file, join(folder, basename(file)))
  const second = await build(copy, place)
  const made = first.map((file) => join(folder, basename(file)))
  const different = second.filter((file) => sha256Of(file) !== sha256Of(join(folder, basename(file))))
  if (different.length > 0) throw new Error(`built twice, and not the same: ${different.map((file) => basename(file))}`)
  const packages = await Promise.all(made.map((file) => named(file, place)))
  const missing = packageNames.filter((name) => !packages.some((each) => each.name === name))
  if (missing.length > 0) throw new Error(`not built: ${missing.join(', ')}`)
  return packages
}

async function build({ folder, epoch }: Copy, place: Workplace): Promise<string[]> {
  const built = join(folder, 'dist')
  for (const each of [built, ...globSync(join(folder, '{console,help}/dist'))])
    rmSync(each, { recursive: true, force: true })
  const env = { ...process.env, SOURCE_DATE_EPOCH: `${epoch}` }
  await run(['npm', 'run', 'build', '--', 'packages'], { cwd: folder, env, log: place.log('packages') })
  return globSync(join(built, '*.tgz')).sort()
}

async function named(file: string, place: Workplace): Promise<Package> {
  const manifest = await run(['tar', '-xzOf', file, 'package/package.json'], { log: place.log('packages') })
  return { name: JSON.parse(manifest).name, file }
}
