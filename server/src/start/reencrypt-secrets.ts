import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type Connection, connectionOf } from '../database/connection.ts'
import { openDatabase } from '../database/database.ts'
import { findEmbeddedPostgres } from '../database/embedded/index.ts'
import { findMasterKeys, type Reencryption, reencrypt } from '../installation/index.ts'
import { createKeyring, type Keyring } from '../keys/index.ts'
import { runningClock } from '../runtime/clock.ts'

/** Between two lines that tell how far it is. */
const tellEveryMs = 1_000

type Say = (line: string) => void

/**
 * `signet keys reencrypt`, beside the running service. Says how far it is while it takes long, and what is left at the
 * end; throws an Error with readable lines when that is not 0.
 */
export async function reencryptSecrets(config: Config, say: Say) {
  const database = openDatabase(connectionTo(config))
  try {
    conclude(await reencrypt({ database, keyring: keyringOf(config), onProgress: teller(say) }), say)
  } finally {
    await database.close()
  }
}

function connectionTo({ databaseUrl, dataDir }: Config): Connection {
  if (databaseUrl) return connectionOf(databaseUrl)
  const running = findEmbeddedPostgres(join(dataDir, 'postgres'))
  if (!running) throw new Error(`${dataDir}: no Signet runs on this data folder; start it, and run this beside it`)
  // A Unix socket has no TLS, whatever PGSSLMODE in the environment asks for.
  return { ...running, ssl: false }
}

function keyringOf({ masterKeys, dataDir }: Config): Keyring {
  const found = masterKeys ?? findMasterKeys(dataDir)
  if (!found) throw new Error('SIGNET_MASTER_KEY: is required, the same as for the service')
  return createKeyring(found)
}

function teller(say: Say): (done: number) => void {
  const clock = runningClock()
  let told = clock.now()
  return (done) => {
    if (clock.now() - told < tellEveryMs) return
    told = clock.now()
    say(`Re-encrypted so far: ${done}`)
  }
}

function conclude({ done, left, problems }: Reencryption, say: Say) {
  say(`Re-encrypted: ${done}. Left under another master key: ${left}.`)
  if (left > 0) {
    const advice = 'The other keys of SIGNET_MASTER_KEY are still needed. Start every process with the new key first'
    throw new Error([...problems, `${advice}, and run this again.`].join('\n'))
  }
  say('Once every process runs with the new key first, the others can be removed from SIGNET_MASTER_KEY.')
  say('Keep them with the backups made before.')
}
