import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import type { MasterKeys } from '../../src/ground/keys/index.ts'

/** The service as a process that is killed when so many sign-ins have come to a failpoint. */
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/signet'))
const { readConfig } = await import('../../src/start/config.ts')
const { createKeyring } = await import('../../src/ground/keys/index.ts')
const { buildService } = await import('../../src/start/service.ts')

const { DIE_AT, DIE_AFTER, ...environment } = process.env
let left = Number(DIE_AFTER)
const config = readConfig(environment)
const service = await buildService({
  config,
  connection: { connectionString: config.databaseUrl },
  keyring: createKeyring(config.masterKeys as MasterKeys),
  onSignInFailpoint: (failpoint) => {
    if (failpoint === DIE_AT && --left === 0) process.kill(process.pid, 'SIGKILL')
  },
})
await service.listen()
