import { openDatabase } from '../../src/ground/database/database.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { createRecorder } from '../../src/identity/audit-log/index.ts'
import { initializeInstallation } from '../../src/operator/installation/index.ts'
import type { Cell } from '../../src/operator/move/index.ts'
import { type Connection, testDatabase } from './database.ts'
import type { Receiver } from './receiver.ts'
import { makeKeyring, type Service, startService } from './service.ts'

/** What all cells are reached by, behind the router. */
const baseUrl = 'http://localhost:9'
export const passphrase = 'a passphrase of these tests'
const operator = { type: 'operator', id: null, name: null } as const

/** An installation with a database of its own, from which an organization moves, or to which. */
export type MovingCell = {
  connection: Connection
  service: Service
  /** For the steps within this process. */
  cell: Cell
  /** For the commands. */
  settings: Record<string, string>
  end(): Promise<void>
}

export async function startMovingCell(receiver: Receiver, env: Record<string, string> = {}): Promise<MovingCell> {
  const connection = await testDatabase()
  const masterKey = makeMasterKey()
  const [keyring, clock] = [makeKeyring(masterKey), { now: () => Date.now() }]
  const database = openDatabase(connection)
  const installation = { baseUrl, baseUrlIsDefault: false, acceptBaseUrl: undefined }
  await initializeInstallation(database.write, installation, keyring)
  const ofService = { SIGNET_BASE_URL: baseUrl, ...env }
  const service = await startService({ connection, receiver, clock, keyring, env: ofService })
  const record = createRecorder({ clock, keyring })
  return {
    connection,
    service,
    cell: {
      database,
      clock,
      keyring,
      operatorGroup: undefined,
      recordAs: (action) => record({ actor: operator, action, requestId: null, clientAddress: null }),
    },
    settings: {
      DATABASE_URL: connection.url,
      SIGNET_MASTER_KEY: masterKey,
      SIGNET_BASE_URL: baseUrl,
      SIGNET_MOVE_PASSPHRASE: passphrase,
    },
    end: async () => {
      await service.stop()
      await database.close()
      await connection.drop()
    },
  }
}
