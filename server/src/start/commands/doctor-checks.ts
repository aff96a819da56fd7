import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, finding } from '@signet/cli'
import { leastOf, mostOf } from '../../ground/database/allotment.ts'
import { hostsOf } from '../../ground/database/connection.ts'
import { type ConnectionLimits, readConnectionLimits } from '../../ground/database/connection-limits.ts'
import { commandSizes, type Database, openDatabase } from '../../ground/database/database.ts'
import { databaseTime } from '../../ground/database/database-time.ts'
import { isMissingTable } from '../../ground/database/postgres-error.ts'
import { onlyRow } from '../../ground/database/rows.ts'
import { awaitServer } from '../../ground/database/server-check.ts'
import { sql } from '../../ground/database/sql.ts'
import { clientFileNames, storedSecretNames } from '../../operator/installation/index.ts'
import { checkServer } from '../../operator/installation/regions/index.ts'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { wishesOf } from '../connections.ts'
import { describeOperators } from '../operators.ts'
import { findConnection } from './cell.ts'

/** As for readiness. */
const maxClockDifferenceMs = 30_000
const oldestVersion = 150_000

/** What `signet doctor` examines besides the service: settings, database, and the files of secrets. */
export async function examineInstallation(): Promise<Finding[]> {
  try {
    const config = readConfig()
    const settings = finding('settings', 'ok', 'those of this shell are valid')
    return [settings, ...(await examineDatabase(config)), ...examineSecrets(config)]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) =>
      finding('settings', 'wrong', `${problem}; signet.env.example describes every setting`),
    )
  }
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  const connection = findConnection(config)
  if (!connection) {
    const message = `DATABASE_URL is not set, and no Signet runs on ${config.dataDir}`
    return [finding('database', 'unknown', message)]
  }
  try {
    await awaitServer(connection, 0, () => {})
  } catch (error) {
    const advice = `try ${hostsOf(connection)} with psql; docs/operate/own-postgresql.md has what the server needs`
    return [finding('database', 'wrong', `${problemOf(error)}; ${advice}`)]
  }
  const database = openDatabase(connection, commandSizes)
  return lookAt(database, config).finally(() => database.close())
}

/** Without the name, which the check has. */
const problemOf = (error: unknown) => (error as Error).message.replace(/^database: /, '')

async function lookAt({ read, write }: Database, config: Config): Promise<Finding[]> {
  const server = await readSettings(read)
  return [
    server.number >= oldestVersion
      ? finding('database', 'ok', `PostgreSQL ${server.version} takes writes`)
      : finding('database', 'wrong', `PostgreSQL ${server.version} is too old: Signet needs 15 or later`),
    ...examineSafety(server),
    await examineServer(write, config),
    examineConnections(await readConnectionLimits(read), config),
    examineClock(Math.abs(Date.now() - (await databaseTime(read)))),
    ...(await examineOperators(read, config)),
  ]
}

type ServerSettings = { version: string; number: number; fsync: string; fullPageWrites: string }

const readSettings = (queries: Database['read']) =>
  onlyRow(queries)(sql<ServerSettings>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
           current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites"`)

function examineSafety({ fsync, fullPageWrites }: ServerSettings): Finding[] {
  const off = Object.entries({ fsync, full_page_writes: fullPageWrites }).filter(([, value]) => value === 'off')
  return off.map(([name]) =>
    finding('database', 'warning', `${name} is off: a power failure can destroy the database; set it to on`),
  )
}

const examineServer = (write: Database['write'], { otherRegions }: Config): Promise<Finding> =>
  checkServer(write, otherRegions).then(
    () => finding('database', 'ok', 'a commit is on disk before it is acknowledged'),
    (error) => finding('database', 'wrong', problemOf(error)),
  )

/** What all processes need, each as this shell's settings say. None runs yet: for the first one. */
function examineConnections({ available, limit, used, others, processes }: ConnectionLimits, config: Config): Finding {
  const wishes = wishesOf(config, { isAlone: !config.databaseUrl })
  const number = Math.max(1, processes)
  const [least, most] = [number * leastOf(wishes), number * mostOf(wishes)]
  const wanted = `${processesOf(number)} can use ${most} connections and need${number === 1 ? 's' : ''} ${least}`
  const during = `with one more during an update up to ${most + mostOf(wishes)}`
  const message = `${wanted}; there are ${available} for them (${limit}, others have ${others}), of which ${used} are open; ${during}`
  if (available >= most) return finding('database', 'ok', message)
  const advice = `raise that limit${config.databaseConnections > 2 ? ', or lower SIGNET_DATABASE_CONNECTIONS' : ''}`
  if (available >= least) return finding('database', 'warning', `${message}; requests may wait for one: ${advice}`)
  return finding('database', 'wrong', `${message}; ${advice}, or run fewer processes`)
}

const processesOf = (number: number) => (number === 1 ? 'one process of Signet' : `${number} processes of Signet`)

function examineClock(differenceMs: number): Finding {
  if (differenceMs <= maxClockDifferenceMs)
    return finding('database', 'ok', 'its clock and that of this machine differ by less than 30 s')
  const message = `its clock and that of this machine differ by ${Math.round(differenceMs / 1_000)} s`
  return finding('database', 'wrong', `${message}; synchronize both with NTP`)
}

async function examineOperators(queries: Database['read'], { operatorGroup }: Config): Promise<Finding[]> {
  if (!operatorGroup) return []
  try {
    const { isReady, message } = await describeOperators(queries, operatorGroup, Date.now())
    return [finding('operators', isReady ? 'ok' : 'warning', message)]
  } catch (error) {
    if (!isMissingTable(error)) throw error
    return [finding('operators', 'unknown', 'the first start of the service has not made its tables yet')]
  }
}

/** Those of the data folder are readable by their owner only. */
function examineSecrets({ dataDir, databaseUrl }: Config): Finding[] {
  if (databaseUrl) return []
  return [...storedSecretNames, ...Object.values(clientFileNames)].flatMap((name) => {
    const path = join(dataDir, name)
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    return mode & 0o077 ? [finding('secrets', 'wrong', `${path} is readable by others; run chmod 600 ${path}`)] : []
  })
}
