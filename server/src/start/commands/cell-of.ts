import { type Connection, connectionOf } from '../../ground/database/connection.ts'
import { commandSizes, openDatabase } from '../../ground/database/database.ts'
import { followDatabaseTime } from '../../ground/database/database-time.ts'
import { findEmbeddedPostgres, postgresFolder } from '../../ground/database/embedded/index.ts'
import { createKeyring, type Keyring } from '../../ground/keys/index.ts'
import { runningClock } from '../../ground/runtime/clock.ts'
import { createRecorder } from '../../identity/audit-log/index.ts'
import { findMasterKeys } from '../../operator/installation/index.ts'
import type { Cell } from '../../operator/move/index.ts'
import type { Config } from '../config.ts'

const operator = { type: 'operator', id: null, name: null } as const

/** For a command of the operator beside the service. */
export function connectionTo({ databaseUrl, dataDir }: Config): Connection {
  if (databaseUrl) return connectionOf(databaseUrl)
  const running = findEmbeddedPostgres(postgresFolder(dataDir))
  if (!running) throw new Error(`${dataDir}: no Signet runs on this data folder; start it, and run this beside it`)
  return running
}

export function keyringOf({ masterKeys, dataDir }: Config): Keyring {
  const keys = masterKeys ?? findMasterKeys(dataDir)
  if (!keys) throw new Error('SIGNET_MASTER_KEY: is required, the same as for the service')
  return createKeyring(keys)
}

export async function withCell<Result>(config: Config, work: (cell: Cell) => Promise<Result>): Promise<Result> {
  const keyring = keyringOf(config)
  const database = openDatabase(connectionTo(config), commandSizes)
  try {
    const clock = runningClock()
    await followDatabaseTime(clock, database.read)
    const record = createRecorder({ clock, keyring })
    const recordAs: Cell['recordAs'] = (action) =>
      record({ actor: operator, action, requestId: null, clientAddress: null })
    return await work({ database, clock, keyring, recordAs })
  } finally {
    await database.close()
  }
}
