import { type Connection, renewableConnection } from '../ground/database/connection.ts'
import { dataFolder, holdDataFolder, postgresFolder, startEmbeddedPostgres } from '../ground/database/embedded/index.ts'
import { awaitServer, type Say } from '../ground/database/server-check.ts'
import { createKeyring, type Keyring } from '../ground/keys/index.ts'
import { collectGarbage } from '../ground/runtime/collect-garbage.ts'
import { firstOrganizationId } from '../identity/organizations/index.ts'
import { refuseIncomplete } from '../operator/backup/index.ts'
import {
  initializeInstallation,
  makeDataDir,
  removeServiceUrl,
  storeClientFiles,
  storedMasterKeys,
  storedOperatorKey,
  storeServiceUrl,
} from '../operator/installation/index.ts'
import { type Config, requireMasterKeys, rereadSettings } from './config.ts'
import { prepare, underMigrationLock } from './first-organization.ts'
import { localUrl, readable, requirePorts } from './listening.ts'
import { withLocalReceiver } from './local-receiver.ts'
import type { Reread } from './reload.ts'
import { buildService, type Service } from './service.ts'
import { operatorKeyForm } from './setting-parsers.ts'
import { addresses, credentials, warning } from './start-lines.ts'
import { typedCommands } from './typed-commands.ts'

/** Runs until `stop`; `lines` are printed at the terminal. */
/** `reload`: reads again what is read from files, and gives one line about that. */
export type Started = { lines: string[]; reload(): Promise<string>; stop(): Promise<void> }
type Stop = () => Promise<unknown>

/** `signal` ends whatever a start waits for. */
type Starting = { say: Say; signal: AbortSignal }

/** Starts the service with `config`. Throws an Error with one readable line when that is impossible. */
export const start = (config: Config, starting: Starting): Promise<Started> =>
  config.databaseUrl ? startOnServer(config, config.databaseUrl, starting) : startEmbedded(config, starting)

async function startOnServer(config: Config, databaseUrl: string, { say, signal }: Starting): Promise<Started> {
  await requirePorts(config)
  const connection = renewableConnection(databaseUrl, config.databaseUrlFile)
  const keyring = createKeyring(requireMasterKeys(config))
  await awaitServer(connection, config.databaseWaitMs, say, { signal })
  const { warnings, hints } = await underMigrationLock(connection, signal, async (tx) => ({
    ...(await initializeInstallation(tx, config, keyring)),
    hints: (await firstOrganizationId(tx)) ? [] : [howToBegin],
  }))
  const { lines, ...local } = withLocalReceiver(config)
  const service = await run(local.config, connection, keyring, { isAlone: false, signal, ...local })
  return {
    lines: [
      ...[...ignoredIn(connection), ...warnings].map(warning),
      ...addresses(config),
      ...lines,
      service.connectionsLine,
      ...hints,
    ],
    reload: () => service.reload(rereadSettings()),
    stop: service.stop,
  }
}

const ignoredIn = ({ ignored = [] }: Connection): string[] =>
  ignored.length > 0 ? [`DATABASE_URL: ignored, for it changes nothing here: ${ignored.join(', ')}`] : []

const howToBegin = `No organization yet; make the first one: ${typedCommands.signet} init --name "Example"`

/** One process on one data folder: it locks the folder, starts PostgreSQL, then the service; a stop goes backwards. */
async function startEmbedded(settings: Config, starting: Starting): Promise<Started> {
  makeDataDir(settings.dataDir)
  refuseIncomplete(settings.dataDir)
  const stops: Stop[] = []
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each()
  }
  try {
    return { ...(await startOnFolder(settings, starting, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Adds to `stops` whatever it has started. */
async function startOnFolder(
  settings: Config,
  { say, signal }: Starting,
  stops: Stop[],
): Promise<Omit<Started, 'stop'>> {
  const held = await holdDataFolder(settings.dataDir)
  if (!held) throw new Error(`${settings.dataDir}: another Signet process runs on this data folder`)
  stops.push(held.release)
  await requirePorts(settings)
  const config = withStoredSecrets(settings)
  const postgres = await startEmbeddedPostgres({
    folder: postgresFolder(config.dataDir),
    onEvent: say,
    signal,
    // What the imports have left behind: 35 MB less once Signet is ready (measured).
    whileStarting: collectGarbage,
  })
  stops.push(postgres.stop)
  const keyring = createKeyring(requireMasterKeys(config))
  const first = await prepare(config, postgres.connection, keyring, signal)
  if (first.client) storeClientFiles(config.dataDir, { baseUrl: config.baseUrl, ...first.client })
  const { lines, ...local } = withLocalReceiver(config)
  const service = await run(local.config, postgres.connection, keyring, { isAlone: true, signal, ...local })
  stops.push(service.stop)
  storeServiceUrl(config.dataDir, localUrl(config))
  stops.push(async () => removeServiceUrl(config.dataDir))
  return {
    lines: [...first.warnings.map(warning), ...addresses(config), ...credentials(config, first), ...lines],
    reload: () => service.reload(rereadBesideStored(config.dataDir)),
  }
}

const withStoredSecrets = (config: Config): Config => ({
  ...config,
  masterKeys: config.masterKeys ?? storedMasterKeys(config.dataDir, dataFolder(postgresFolder(config.dataDir))),
  operatorKey: config.operatorKey ?? storedOperatorKey(config.dataDir, operatorKeyForm),
})

/** Where the operator's key is no setting, its file in the data folder may have another one. */
function rereadBesideStored(dataDir: string): Reread {
  const reread = rereadSettings()
  const { operatorKey } = reread
  if ('problem' in operatorKey || operatorKey.value !== undefined) return reread
  try {
    return { ...reread, operatorKey: { ...operatorKey, value: storedOperatorKey(dataDir, operatorKeyForm) } }
  } catch (error) {
    return { ...reread, operatorKey: { problem: (error as Error).message } }
  }
}

type RunOptions = { isAlone: boolean; signal: AbortSignal; certificateAuthorities?: string[] }

async function run(config: Config, connection: Connection, keyring: Keyring, options: RunOptions) {
  let service: Service | undefined
  try {
    // A reload changes the tiers, which are those of all who have none of their own.
    const own = { ...config, tiers: { ...config.tiers } }
    service = await buildService({ ...options, config: own, connection, keyring })
    await service.listen()
    return service
  } catch (error) {
    await service?.stop()
    throw readable(error, config)
  }
}
