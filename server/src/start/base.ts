import type { OnFailpoint } from '../delivery/queue/index.ts'
import type { Connection } from '../ground/database/connection.ts'
import type { Database } from '../ground/database/database.ts'
import { followDatabaseTime } from '../ground/database/database-time.ts'
import { createNotifications } from '../ground/database/notifications.ts'
import { createPrimary } from '../ground/database/primary.ts'
import { makePartitions } from '../ground/database/time-partitions.ts'
import type { Keyring } from '../ground/keys/index.ts'
import { createPositions } from '../ground/positions/index.ts'
import { type Clock, runningClock, type SettableClock } from '../ground/runtime/clock.ts'
import { makeId } from '../ground/runtime/identifiers.ts'
import type { OnFailpoint as OnSignInFailpoint } from '../identity/sign-in/index.ts'
import { checkServer } from '../operator/installation/regions/index.ts'
import { startMetrics, startTracing } from '../operator/telemetry/index.ts'
import type { Config } from './config.ts'
import { openDatabases } from './databases.ts'
import { buildLog, logTroubleOf } from './log.ts'

export type ServiceOptions = {
  config: Config
  connection: Connection
  keyring: Keyring
  /** No other process uses this database. */
  isAlone?: boolean
  /** Ends what the start waits for. */
  signal?: AbortSignal
  /** Tests hand in a clock that they set; otherwise it follows the database's. */
  clock?: Clock
  /** Certificate authorities of the tests' receivers, in PEM; otherwise those that Node trusts. */
  certificateAuthorities?: string[]
  /** Tests hand in builds of their own. */
  consoleFolder?: string
  helpFolder?: string
  /** Called as a delivery passes each of its failpoints. */
  onFailpoint?: OnFailpoint
  /** Called as a sign-in passes each of its failpoints. */
  onSignInFailpoint?: OnSignInFailpoint
}

/** What every slice stands on. */
export type Base = Awaited<ReturnType<typeof buildBase>>

export async function buildBase(options: ServiceOptions) {
  const { config, connection, keyring, isAlone = false, signal } = options
  const tracing = await startTracing(config.telemetry)
  const { tracer } = tracing
  const log = buildLog(config.logLevel, tracing)
  const metrics = config.metricsPort === undefined ? undefined : await startMetrics(config.host, config.metricsPort)
  const primary = createPrimary(connection, {
    onUnavailable: logTroubleOf(log, metrics),
    onProblem: (problem) => log.warn(`${problem}; what was read before stays in use`),
  })
  const onError = (err: unknown) => log.error({ err }, 'background work failed; will retry')
  const databases = await openDatabases(connection, { config, isAlone, primary, log, tracer, onError, signal })
  const { database } = databases
  const clocks = await clocksOf(options, database)
  await checkServer(database.write, config.otherRegions)
  await makePartitions(database, clocks.clock.now())
  const positions = createPositions({ database })
  await positions.enter()
  const { connections } = databases
  const mayConnect = () => connections.of('session') + connections.of('announcements') > 0
  const notifications = createNotifications({ primary, mayConnect })
  /** Also the id of its worker. */
  const processId = makeId(clocks.clock.now())
  const settled = { options, processId, config, keyring, isAlone }
  return {
    ...settled,
    ...databases,
    ...clocks,
    log,
    metrics,
    tracing,
    tracer,
    primary,
    notifications,
    positions,
    onError,
  }
}

/** `ownClock`: undefined where a test sets the clock. */
type Clocks = { clock: Clock; ownClock: SettableClock | undefined }

async function clocksOf({ clock }: ServiceOptions, { read }: Database): Promise<Clocks> {
  if (clock) return { clock, ownClock: undefined }
  const ownClock = runningClock()
  await followDatabaseTime(ownClock, read)
  return { clock: ownClock, ownClock }
}
