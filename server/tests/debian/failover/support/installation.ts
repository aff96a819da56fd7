import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { makeAuthority } from '../../../../../scripts/certificates.ts'
import { makeMasterKey } from '../../../../src/ground/keys/index.ts'
import { repository } from '../../../support/program.ts'
import { type Receiver, startReceiver } from '../../../support/receiver.ts'
import { type Client, type Signet, startSignet } from '../../../support/signet.ts'
import { writeConfiguration } from '../../proxies/support/configuration.ts'
import { openFolder } from '../../proxies/support/folder.ts'
import { runHaproxy } from '../../proxies/support/fronts.ts'
import { startPgbouncer } from '../../proxies/support/pgbouncer.ts'
import { type Cluster, startCluster } from './cluster.ts'
import type { Address } from './load.ts'

/** All of docs/operate/high-availability.md: a cluster, three Signet processes that reach its primary, and a balancer before them. */
export type Installation = {
  cluster: Cluster
  signets: Signet[]
  /** Of the first process, whatever the balancer does. */
  client: Client
  address: Address
  receiver: Receiver
  /** Ends the three processes, and starts three that reach the database through a PgBouncer before HAProxy. */
  goThroughPgbouncer(): Promise<void>
}

const deployment = join(repository, 'examples/deployment')
const ports = [8080, 8081, 8082]
const databasePort = 5000
const frontPort = 8443
const host = 'id.example.com'

export async function install(life: AsyncDisposableStack, settings: Record<string, string>): Promise<Installation> {
  const folder = openFolder(life)
  const authority = makeAuthority()
  const [cluster, receiver] = await Promise.all([startCluster(folder), startReceiver(authority)])
  life.defer(receiver.stop)
  await startWayToPrimary(life)
  const { certificate, privateKey } = authority.issue([host])
  await startBalancer(life, certificate + privateKey)
  const { DATABASE_URL = '', ...env } = readSettings()
  const masterKey = makeMasterKey()
  const start = (databaseUrl: string, port: number) =>
    startSignet({ databaseUrl, receiver, port, masterKey, env: { ...env, ...settings } })
  /** One after the other: the first one makes the tables, which takes a while when each commit waits for two disks. */
  const startAll = async (databaseUrl: string) => {
    const started: Signet[] = []
    for (const port of ports) started.push(await start(databaseUrl, port))
    return started
  }
  const endAll = () => Promise.all(installation.signets.map((signet) => signet.kill()))
  const signets = await startAll(DATABASE_URL)
  // The tables are new: on a slow disk the first switch-over would wait for them to be written.
  await (await cluster.withRole('leader')).query('checkpoint')
  const installation: Installation = {
    cluster,
    signets,
    receiver,
    client: signets[0] as Signet,
    address: { port: frontPort, host, certificate: authority.certificate },
    goThroughPgbouncer: async () => {
      const { url } = await startPgbouncer(life, { port: databasePort })
      await endAll()
      installation.signets = await startAll(url)
    },
  }
  life.defer(async () => void (await endAll()))
  return installation
}

const readSettings = () =>
  parseEnv(readFileSync(join(deployment, 'high-availability.env'), 'utf8')) as Record<string, string>

async function startWayToPrimary(life: AsyncDisposableStack) {
  const folder = openFolder(life)
  const file = join(folder, 'haproxy-postgresql.cfg')
  copyFileSync(join(deployment, 'haproxy-postgresql.cfg'), file)
  const running = await runHaproxy(folder, file, databasePort)
  life.defer(() => running.stop())
}

async function startBalancer(life: AsyncDisposableStack, certified: string) {
  const folder = openFolder(life)
  writeFileSync(join(folder, 'both.pem'), certified, { mode: 0o644 })
  const file = writeConfiguration(folder, 'haproxy.cfg', {
    'bind :443': `bind :${frontPort}`,
    '/etc/signet/tls': folder,
    'server two 127.0.0.1:8081': 'server two 127.0.0.1:8081\n  server three 127.0.0.1:8082',
  })
  const running = await runHaproxy(folder, file, frontPort)
  life.defer(() => running.stop())
}
