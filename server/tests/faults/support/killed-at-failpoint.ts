import type { Failpoint } from '../../../src/delivery/queue/index.ts'
import { connectionOf } from '../../../src/ground/database/connection.ts'
import { migrate } from '../../../src/ground/database/migrate.ts'
import { createKeyring, type MasterKeys } from '../../../src/ground/keys/index.ts'
import { initializeInstallation } from '../../../src/operator/installation/index.ts'
import { readConfig } from '../../../src/start/config.ts'
import { buildService } from '../../../src/start/service.ts'

/** The real service as `npm start` builds it, killed by itself as it passes a failpoint for the n-th time. */
const { FAULT_POINT, FAULT_PASSING } = process.env
let left = Number(FAULT_PASSING)

function onFailpoint(failpoint: Failpoint) {
  if (failpoint === FAULT_POINT && --left === 0) process.kill(process.pid, 'SIGKILL')
}

const config = readConfig()
const connection = connectionOf(config.databaseUrl as string)
const keyring = createKeyring(config.masterKeys as MasterKeys)
await migrate(connection, (tx) => initializeInstallation(tx, config, keyring))
const service = await buildService({ config, connection, keyring, onFailpoint })
await service.listen()
