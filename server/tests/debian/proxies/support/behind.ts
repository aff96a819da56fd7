import '../../../support/names-of-tests.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tls from 'node:tls'
import { expect, vi } from 'vitest'
import { makeAuthority } from '../../../../../scripts/certificates.ts'
import { freePort } from '../../../../../scripts/free-port.ts'
import { makeMasterKey } from '../../../../src/ground/keys/index.ts'
import { testDatabase } from '../../../support/database.ts'
import { repository, run } from '../../../support/program.ts'
import { type Receiver, startReceiver } from '../../../support/receiver.ts'
import { type Client, createClient, type Signet, startSignet } from '../../../support/signet.ts'
import { client as upstreamClient } from '../../../support/upstreams.ts'
import { openFolder } from './folder.ts'
import { type Front, type FrontName, hosts, startFront } from './fronts.ts'
import { patience } from './patience.ts'

/** Two Signet processes on one database behind a web server, as their clients have them: one https address. */
export type Behind = {
  front: Front
  /** `SIGNET_BASE_URL`. */
  baseUrl: string
  client: Client
  receiver: Receiver
  /** Restarts one of the two: it is stopped, and started again once it has ended. */
  restart(index: 0 | 1): Promise<void>
  /** The credential fields of an identity provider with a page to log in. */
  provider: { client_id: string; client_secret: string; provider: string }
}

const providerProgram = join(repository, 'examples/provider/provider.ts')
const authority = makeAuthority()
// What this process calls by https from now on is of that authority.
tls.setDefaultCACertificates([authority.certificate])

export type Prefix = '' | '/identity'

export async function startBehind(
  life: AsyncDisposableStack,
  name: FrontName,
  { prefix = '', env = {} }: { prefix?: Prefix; env?: Record<string, string> } = {},
): Promise<Behind> {
  const signetPorts: [number, number] = [await freePort(), await freePort()]
  const front = await startFront(life, name, { certified: authority.issue(hosts), signetPorts })
  const baseUrl = `https://${prefix ? hosts[1] : hosts[0]}:${front.port}${prefix}`
  const [database, receiver] = await Promise.all([testDatabase(), startReceiver(authority)])
  life.defer(database.drop)
  life.defer(receiver.stop)
  const { credential, issuer } = await startProvider(life, baseUrl)
  const providers = join(openFolder(life), 'providers.json')
  writeFileSync(providers, JSON.stringify({ provider_a: { issuer } }))
  const masterKey = makeMasterKey()
  const start = (port: number) =>
    startSignet({
      databaseUrl: database.url,
      receiver,
      port,
      masterKey,
      env: { SIGNET_BASE_URL: baseUrl, SIGNET_PROVIDERS: providers, SIGNET_TRUSTED_PROXIES: '127.0.0.1', ...env },
    })
  const nodes = (await Promise.all(signetPorts.map(start))) as [Signet, Signet]
  life.defer(async () => void (await Promise.all(nodes.map((node) => node.kill()))))
  await untilReady(baseUrl)
  return {
    front,
    baseUrl,
    receiver,
    provider: credential,
    client: createClient(baseUrl, nodes[0].operatorKey),
    restart: async (index) => {
      await nodes[index].stop()
      nodes[index] = await start(signetPorts[index])
    },
  }
}

/** Some look at the processes behind them only every second. */
async function untilReady(baseUrl: string) {
  await vi.waitFor(async () => expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200), patience)
}

/** On this machine and by http, as `SIGNET_PROVIDERS` allows. */
async function startProvider(life: AsyncDisposableStack, baseUrl: string) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { clientId: client_id, clientSecret: client_secret } = upstreamClient
  const program = run({ onTestFinished: (clean) => life.defer(clean) }, [process.execPath, providerProgram], {
    PORT: `${port}`,
    ISSUER: issuer,
    SIGNET: baseUrl,
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
  })
  await program.says(/^Listening: /m)
  return { credential: { client_id, client_secret, provider: 'provider_a' }, issuer }
}
