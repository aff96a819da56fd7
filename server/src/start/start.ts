import { once } from 'node:events'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { type Connection, connectionOf } from '../ground/database/connection.ts'
import type { Transaction } from '../ground/database/database.ts'
import { followDatabaseTime } from '../ground/database/database-time.ts'
import { dataFolder, holdDataFolder, postgresFolder, startEmbeddedPostgres } from '../ground/database/embedded/index.ts'
import { migrate } from '../ground/database/migrate.ts'
import { awaitServer, type Say } from '../ground/database/server-check.ts'
import { enterEpoch } from '../ground/database/transaction.ts'
import { createKeyring, insertSigningKeys, type Keyring } from '../ground/keys/index.ts'
import { runningClock } from '../ground/runtime/clock.ts'
import { collectGarbage } from '../ground/runtime/collect-garbage.ts'
import { inShell } from '../ground/runtime/in-shell.ts'
import { createRecorder } from '../identity/audit-log/index.ts'
import { createBuiltConsole } from '../identity/console/index.ts'
import {
  createOrganization,
  defaultTier,
  firstOrganizationId,
  organizationOfKey,
} from '../identity/organizations/index.ts'
import { refuseIncomplete } from '../operator/backup/index.ts'
import {
  clientFileNames,
  firstApiKeyPath,
  initializeInstallation,
  makeDataDir,
  operatorKeyPath,
  removeServiceUrl,
  storeClientFiles,
  storedFirstApiKey,
  storedMasterKeys,
  storedOperatorKey,
  storeFirstApiKey,
  storeServiceUrl,
} from '../operator/installation/index.ts'
import type { Config } from './config.ts'
import { withLocalReceiver } from './local-receiver.ts'
import { buildService, type Service } from './service.ts'
import { operatorKeyForm } from './setting-parsers.ts'

/** Runs until `stop`; `lines` are printed at the terminal. */
export type Started = { lines: string[]; stop(): Promise<void> }
type Stop = () => Promise<unknown>

/** Starts the service with `config`. Throws an Error with one readable line when that is impossible. */
export const start = (config: Config, say: Say): Promise<Started> =>
  config.databaseUrl ? startOnServer(config, config.databaseUrl, say) : startEmbedded(config, say)

/** Comes first: a first start that could not listen would store a base URL that was never reachable. */
async function requirePorts(config: Config) {
  for (const port of [config.port, config.metricsPort].filter((port) => port !== undefined)) {
    const server = createServer().listen(port, config.host)
    await once(server, 'listening').catch((error) => {
      throw readable(error, config)
    })
    server.close()
    await once(server, 'close')
  }
}

async function startOnServer(config: Config, databaseUrl: string, say: Say): Promise<Started> {
  await requirePorts(config)
  const connection = connectionOf(databaseUrl)
  const keyring = createKeyring(requireMasterKeys(config))
  await awaitServer(connection, config.databaseWaitMs, say)
  const { warnings, hints } = await migrate(connection, async (tx) => ({
    ...(await initializeInstallation(tx, config, keyring)),
    hints: (await firstOrganizationId(tx)) ? [] : [howToBegin],
  }))
  const { lines, ...local } = withLocalReceiver(config)
  const service = await run(local.config, connection, keyring, { isAlone: false, ...local })
  return {
    lines: [...warnings.map(warning), ...addresses(config), ...lines, service.connectionsLine, ...hints],
    stop: service.stop,
  }
}

const howToBegin = 'No organization yet; make the first one: npx signet init --name "Example"'

/** One process on one data folder: it locks the folder, starts PostgreSQL, then the service; a stop goes backwards. */
async function startEmbedded(settings: Config, say: Say): Promise<Started> {
  makeDataDir(settings.dataDir)
  refuseIncomplete(settings.dataDir)
  const stops: Stop[] = []
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    const held = await holdDataFolder(settings.dataDir)
    if (!held) throw new Error(`${settings.dataDir}: another Signet process runs on this data folder`)
    stops.push(held.release)
    await requirePorts(settings)
    const config = withStoredSecrets(settings)
    const postgres = await startEmbeddedPostgres({
      folder: postgresFolder(config.dataDir),
      onEvent: say,
      // What the imports have left behind: 35 MB less once Signet is ready (measured).
      whileStarting: collectGarbage,
    })
    stops.push(postgres.stop)
    const keyring = createKeyring(requireMasterKeys(config))
    const first = await prepare(config, postgres.connection, keyring)
    if (first.client) storeClientFiles(config.dataDir, { baseUrl: config.baseUrl, ...first.client })
    const { lines, ...local } = withLocalReceiver(config)
    const service = await run(local.config, postgres.connection, keyring, { isAlone: true, ...local })
    stops.push(service.stop)
    storeServiceUrl(config.dataDir, localUrl(config))
    stops.push(async () => removeServiceUrl(config.dataDir))
    const own = [...addresses(config), ...credentials(config, first), ...lines]
    return { lines: [...first.warnings.map(warning), ...own], stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const withStoredSecrets = (config: Config): Config => ({
  ...config,
  masterKeys: config.masterKeys ?? storedMasterKeys(config.dataDir, dataFolder(postgresFolder(config.dataDir))),
  operatorKey: config.operatorKey ?? storedOperatorKey(config.dataDir, operatorKeyForm),
})

function requireMasterKeys({ masterKeys }: Config): NonNullable<Config['masterKeys']> {
  if (!masterKeys) throw new Error('SIGNET_MASTER_KEY: is required')
  return masterKeys
}

/** `client`: undefined where the stored key is valid for no organization any more. */
type First = { warnings: string[]; isNew: boolean; client: { organizationId: string; apiKey: string } | undefined }

/**
 * Migrates, and at the very first start makes an organization with a key, all under the migration lock. Later starts return
 * the organization for which the stored key is valid, if there still is one.
 */
const prepare = (config: Config, connection: Connection, keyring: Keyring): Promise<First> =>
  migrate(connection, async (tx) => {
    const { warnings, isNew } = await initializeInstallation(tx, config, keyring)
    if (!isNew) return { warnings, isNew, client: await storedClient(tx, config.dataDir) }
    const { id, apiKey } = await makeOrganization(tx, 'First organization', keyring)
    // Before the commit: if the process is killed in between, the next start is still the first and makes both again.
    storeFirstApiKey(config.dataDir, apiKey)
    return { warnings, isNew, client: { organizationId: id, apiKey } }
  })

async function storedClient(tx: Transaction, dataDir: string): Promise<First['client']> {
  const apiKey = storedFirstApiKey(dataDir) ?? ''
  const organizationId = await organizationOfKey(tx, apiKey)
  return organizationId === undefined ? undefined : { organizationId, apiKey }
}

async function makeOrganization(tx: Transaction, name: string, keyring: Keyring) {
  const clock = runningClock()
  await followDatabaseTime(clock, tx)
  const createSigningKeys = (queries: Transaction, organizationId: string) =>
    insertSigningKeys(queries, organizationId, { clock, keyring })
  const actor = { type: 'operator', id: null, name: null } as const
  const act = { actor, action: 'createOrganization', requestId: null, clientAddress: null }
  // The first place of this database is that of the entry.
  await enterEpoch(tx)
  const record = createRecorder({ clock, keyring })(act)
  return createOrganization(tx, { name, pricingTier: defaultTier }, { clock, createSigningKeys, record })
}

/**
 * `signet init`: makes the first organization of an installation on the operator's own database. Throws one readable line
 * when there already is an organization.
 */
export async function initialize(config: Config, databaseUrl: string, name: string, say: Say) {
  const keyring = createKeyring(requireMasterKeys(config))
  const connection = connectionOf(databaseUrl)
  await awaitServer(connection, config.databaseWaitMs, say)
  return migrate(connection, async (tx) => {
    await initializeInstallation(tx, config, keyring)
    if (await firstOrganizationId(tx))
      throw new Error('there is an organization already; the operator makes more with POST /organizations')
    return makeOrganization(tx, name, keyring)
  })
}

type RunOptions = { isAlone: boolean; certificateAuthorities?: string[] }

async function run(config: Config, connection: Connection, keyring: Keyring, options: RunOptions) {
  let service: Service | undefined
  try {
    service = await buildService({ ...options, config, connection, keyring })
    await service.listen()
    return service
  } catch (error) {
    await service?.stop()
    throw readable(error, config)
  }
}

/** Names the setting at fault, when the service cannot listen. */
function readable(error: unknown, { host, metricsPort }: Config): unknown {
  const { code, port } = error as { code?: string; port?: number }
  const name = port === metricsPort ? 'SIGNET_METRICS_PORT' : 'PORT'
  if (code === 'EADDRINUSE')
    return new Error(`${name}: ${port} on ${host} is taken by another program; set ${name} to a free one`)
  if (code === 'EACCES')
    return new Error(`${name}: no right to listen on ${port} of ${host}; set ${name} to one above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Error(`HOST: ${host} is no address of this machine`)
  return error
}

/** As a program on this machine calls it: an address that stands for all of them is none to call. */
function localUrl({ host, port }: Config): string {
  const isLocalhost = ['0.0.0.0', '::', '127.0.0.1'].includes(host)
  return new URL(`http://${isLocalhost ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`).origin
}

const warning = (line: string) => `Warning: ${line}`

const addresses = ({ baseUrl, roles }: Config) => [
  `Base URL: ${baseUrl}`,
  ...(roles.api && createBuiltConsole().exists() ? [`Console: ${baseUrl}/console`] : []),
  ...(roles.api ? [`Reference: ${baseUrl}/docs`] : ['Role: worker only, no API here']),
]

/** The first key is shown once, and not in a journal, which would keep it. */
function credentials({ dataDir, isJournaled }: Config, { isNew, client }: First): string[] {
  const operator = `Operator key: kept in ${operatorKeyPath(dataDir)}`
  if (!client) {
    const advice = `to renew ${Object.values(clientFileNames).join(' and ')} there, put another into it`
    return [`API key: the one in ${firstApiKeyPath(dataDir)} is not valid any more; ${advice}`, operator]
  }
  const { organizationId, apiKey } = client
  const { environment, headers } = clientFilesIn(dataDir)
  return [
    `Organization ID: ${organizationId}`,
    `API key: ${isNew && !isJournaled ? apiKey : `kept in ${firstApiKeyPath(dataDir)}`}`,
    operator,
    `In another terminal: . ${environment} && curl -H @${headers} $SIGNET_URL/persons`,
  ]
}

/** As somebody in the folder of this process names them in a shell. */
function clientFilesIn(dataDir: string) {
  const near = relative('', dataDir)
  const folder = near.startsWith('..') ? dataDir : `./${near}`
  return {
    environment: inShell(join(folder, clientFileNames.environment)),
    headers: inShell(join(folder, clientFileNames.headers)),
  }
}
