import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../scripts/free-port.ts'
import type { Package } from './artifacts/packages.ts'
import { run, start } from './run.ts'
import { asUser, giveToUser } from './trials/user.ts'
import type { Workplace } from './workplace.ts'

/** One of its packages asks for `node-fetch` by a tag, which not every registry has. */
const project = { private: true, dependencies: { verdaccio: '6.10.4' }, overrides: { 'node-fetch': '2.7.0' } }

/** A registry of npm on loopback: it has our packages, and passes everything else on from the registry that npm is configured with. */
export type Registry = {
  address: string
  /** Lines of an `.npmrc`. */
  settings: string
}

export async function startRegistry(place: Workplace): Promise<Registry> {
  const log = place.log('registry')
  const folder = place.folder('registry')
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project))
  await run(['npm', 'install', '--no-audit', '--no-fund'], { cwd: folder, log })
  const config = join(folder, 'config.yaml')
  writeFileSync(config, stringify(await settingsOf(log)))
  giveToUser(folder)
  const address = `http://127.0.0.1:${await freePort()}/`
  const program = join(folder, 'node_modules/verdaccio/bin/verdaccio')
  const registry = start(asUser([process.execPath, program, '--config', config, '--listen', address]), {
    cwd: folder,
    log,
  })
  await registry.until(/http address/)
  // npm publishes only with a token, and this registry asks for none.
  return { address, settings: `registry=${address}\n${address.replace('http:', '')}:_authToken=none\n` }
}

async function settingsOf(log: string) {
  const read = async (name: string) => {
    const value = await run(['npm', 'config', 'get', name], { log })
    return value === 'null' || value === 'undefined' ? undefined : value
  }
  const cafile = await read('cafile')
  const ca = cafile && readFileSync(cafile, 'utf8')
  const outside = { url: await read('registry'), timeout: '60s', maxage: '1h', max_fails: 100 }
  return {
    storage: './storage',
    auth: { htpasswd: { file: './htpasswd' } },
    web: { enable: false },
    uplinks: { outside: { ...outside, ...(ca && { ca }) } },
    packages: {
      '@signet/*': { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'outside' },
    },
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'pretty', level: 'info' },
  }
}

/** For npm: stronger than the environment and a registry of the scope, which name a real one where somebody has configured npm. */
export const onlyFrom = ({ address }: Registry) => [`--registry=${address}`, `--@signet:registry=${address}`]

/** The settings of whoever rehearses, which may have a token for a real registry, are not read. */
export async function publish(packages: Package[], registry: Registry, place: Workplace) {
  const cwd = place.folder('publishing')
  const own = join(cwd, '.npmrc')
  writeFileSync(own, registry.settings)
  const options = ['--access=public', `--userconfig=${own}`, ...onlyFrom(registry)]
  for (const { file } of packages)
    await run(['npm', 'publish', ...options, file], { cwd, log: place.log('publishing') })
}
