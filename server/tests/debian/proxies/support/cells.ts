import '../../../support/names-of-tests.ts'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import tls from 'node:tls'
import { expect, vi } from 'vitest'
import { makeAuthority } from '../../../../../scripts/certificates.ts'
import { freePort } from '../../../../../scripts/free-port.ts'
import { makeMasterKey } from '../../../../src/ground/keys/index.ts'
import { testDatabase } from '../../../support/database.ts'
import { repository, run } from '../../../support/program.ts'
import { type Client, createClient, type Organization, type Signet, startSignet } from '../../../support/signet.ts'
import { client as upstreamClient } from '../../../support/upstreams.ts'
import { writeConfiguration, writeShared } from './configuration.ts'
import { openFolder } from './folder.ts'
import { runHaproxy } from './fronts.ts'
import { patience } from './patience.ts'

const host = 'id.example.com'
const authority = makeAuthority()
tls.setDefaultCACertificates([authority.certificate])

export type Cells = {
  /** The address of both, at the router. */
  client: Client
  /** Each by its own address. */
  one: Signet
  two: Signet
  /** Of each: the settings of its operator's commands. */
  settings: [Record<string, string>, Record<string, string>]
  /** The credential fields of an identity provider with a page to log in. */
  provider: { client_id: string; client_secret: string; provider: string }
  /** Starts the router, with these organizations in the second cell. */
  route(organizations: Organization[]): Promise<void>
  /** Sends the requests of an organization to a cell from now on. */
  lead(organization: Organization, cell: 'cell-one' | 'cell-two'): Promise<void>
}

/** Two cells with databases and master keys of their own, behind the documented router. */
export async function startCells(life: AsyncDisposableStack): Promise<Cells> {
  const routerPort = await freePort()
  const baseUrl = `https://${host}:${routerPort}`
  const { credential, providers } = await startProvider(life, baseUrl)
  const start = async () => {
    const database = await testDatabase()
    life.defer(database.drop)
    const masterKey = makeMasterKey()
    const env = { SIGNET_BASE_URL: baseUrl, SIGNET_PROVIDERS: providers, SIGNET_TRUSTED_PROXIES: '127.0.0.1' }
    const signet = await startSignet({ databaseUrl: database.url, masterKey, env })
    life.defer(signet.kill)
    const settings = { DATABASE_URL: database.url, SIGNET_MASTER_KEY: masterKey, SIGNET_BASE_URL: baseUrl }
    return { signet, settings: { ...settings, SIGNET_MOVE_PASSPHRASE: 'a passphrase of these tests' } }
  }
  const [one, two] = await Promise.all([start(), start()])
  const folder = openFolder(life)
  const map = join(folder, 'cells.map')
  const portOf = ({ baseUrl }: Signet) => new URL(baseUrl).port
  return {
    client: createClient(baseUrl, one.signet.operatorKey),
    one: one.signet,
    two: two.signet,
    settings: [one.settings, two.settings],
    provider: credential,
    route: async (organizations) => {
      const { certificate, privateKey } = authority.issue([host])
      writeShared(join(folder, 'both.pem'), certificate + privateKey)
      writeShared(map, organizations.map(({ id }) => `${digitsOf(id)} cell-two\n`).join(''))
      const site = writeConfiguration(folder, 'haproxy-cells.cfg', {
        '/etc/signet/tls': folder,
        '/etc/haproxy/cells.map': map,
        'bind :443': `bind :${routerPort}`,
        '127.0.0.1:8080': `127.0.0.1:${portOf(one.signet)}`,
        '127.0.0.1:8081': `127.0.0.1:${portOf(two.signet)}`,
      })
      const running = await runHaproxy(folder, site, routerPort)
      life.defer(() => running.stop())
      await vi.waitFor(async () => expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200), patience)
    },
    lead: async ({ id }, cell) => {
      const socket = connect(join(folder, 'admin.sock'))
      socket.end(`del map ${map} ${digitsOf(id)}; add map ${map} ${digitsOf(id)} ${cell}\n`)
      expect(await text(socket)).not.toContain('rror')
    },
  }
}

const digitsOf = (id: string) => id.replaceAll('-', '')

async function startProvider(life: AsyncDisposableStack, baseUrl: string) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { clientId: client_id, clientSecret: client_secret } = upstreamClient
  const program = run(
    { onTestFinished: (clean) => life.defer(clean) },
    [process.execPath, join(repository, 'examples/provider/provider.ts')],
    { PORT: `${port}`, ISSUER: issuer, SIGNET: baseUrl, CLIENT_ID: client_id, CLIENT_SECRET: client_secret },
  )
  await program.says(/^Listening: /m)
  const providers = join(openFolder(life), 'providers.json')
  writeFileSync(providers, JSON.stringify({ provider_a: { issuer } }))
  return { credential: { client_id, client_secret, provider: 'provider_a' }, providers }
}
