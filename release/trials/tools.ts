import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../run.ts'
import type { Workplace } from '../workplace.ts'

/** A Node and an npm, as a user may have them, each the newest of its major version. */
export type Tools = { name: string; title: string; path: string }
type Versions = { node: number; npm: number }

/** Fetched as packages, so that nothing of the machine is among them. */
export async function fetchTools(versions: Versions, place: Workplace): Promise<Tools> {
  const log = place.log('tools')
  const ofNode = `node-${process.platform}-${process.arch}`
  const fetch = async (name: string, major: number) => {
    const folder = place.folder(join('tools', `${name}-${major}`))
    if (existsSync(join(folder, 'node_modules'))) return join(folder, 'node_modules')
    await run(['npm', 'install', '--prefix', folder, '--no-audit', '--no-fund', `${name}@${major}`], { log })
    return join(folder, 'node_modules')
  }
  const bin = join(await fetch(ofNode, versions.node), ofNode, 'bin')
  const path = [bin, join(await fetch('npm', versions.npm), '.bin'), '/usr/bin', '/bin'].join(':')
  const version = (program: string) => run(['env', program, '--version'], { log, env: { PATH: path } })
  const title = `Node ${(await version('node')).slice(1)}, npm ${await version('npm')}`
  return { name: `node${versions.node}-npm${versions.npm}`, title, path }
}
