import { type Connection, renewableConnection } from '../../ground/database/connection.ts'
import { commandSizes, openDatabase } from '../../ground/database/database.ts'
import { followDatabaseTime } from '../../ground/database/database-time.ts'
import { findEmbeddedPostgres, postgresFolder } from '../../ground/database/embedded/index.ts'
import { createKeyring, type Keyring } from '../../ground/keys/index.ts'
import { runningClock } from '../../ground/runtime/clock.ts'
import { createRecorder } from '../../identity/audit-log/index.ts'
import { findMasterKeys } from '../../operator/installation/index.ts'
import type { Cell } from '../../operator/move/index.ts'
import type { Config } from '../config.ts'
import { usage } from './settings.ts'

const operator = { type: 'operator', id: null, name: null } as const

/** Undefined: no embedded PostgreSQL runs. */
export const findConnection = ({ databaseUrl, databaseUrlFile, dataDir }: Config): Connection | undefined =>
  databaseUrl ? renewableConnection(databaseUrl, databaseUrlFile) : findEmbeddedPostgres(postgresFolder(dataDir))

function connectionTo(config: Config): Connection {
  const connection = findConnection(config)
  if (connection) return connection
  throw new Error(`${config.dataDir}: no Signet runs on this data folder; start it, and run this beside it`)
}

function keyringOf({ masterKeys, dataDir }: Config): Keyring {
  const keys = masterKeys ?? findMasterKeys(dataDir)
  if (!keys) throw usage('SIGNET_MASTER_KEY: is required, the same as for the service')
  return createKeyring(keys)
}

/** For a command of the operator beside the service. */
export async function withCell<Result>(config: Config, work: (cell: Cell) => Promise<Result>): Promise<Result> {
  const keyring = keyringOf(config)
  const database = openDatabase(connectionTo(config), commandSizes)
  try {
    const clock = runningClock()
    await followDatabaseTime(clock, database.read)
    const record = createRecorder({ clock, keyring })
    const recordAs: Cell['recordAs'] = (action) =>
      record({ actor: operator, action, requestId: null, clientAddress: null })
    return await work({ database, clock, keyring, operatorGroup: config.operatorGroup, recordAs })
  } finally {
    await database.close()
  }
}
