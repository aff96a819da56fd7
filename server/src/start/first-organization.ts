import { type Connection, renewableConnection } from '../ground/database/connection.ts'
import type { Transaction } from '../ground/database/database.ts'
import { followDatabaseTime } from '../ground/database/database-time.ts'
import { migrate } from '../ground/database/migrate.ts'
import { awaitServer, type Say } from '../ground/database/server-check.ts'
import { enterEpoch } from '../ground/database/transaction.ts'
import { createKeyring, insertSigningKeys, type Keyring } from '../ground/keys/index.ts'
import { runningClock } from '../ground/runtime/clock.ts'
import { createRecorder } from '../identity/audit-log/index.ts'
import {
  createOrganization,
  defaultTier,
  firstOrganizationId,
  organizationOfKey,
} from '../identity/organizations/index.ts'
import { initializeInstallation, storedFirstApiKey, storeFirstApiKey } from '../operator/installation/index.ts'
import { type Config, requireMasterKeys } from './config.ts'

/** `client`: undefined where the stored key is valid for no organization any more. */
export type First = {
  warnings: string[]
  isNew: boolean
  client: { organizationId: string; apiKey: string } | undefined
}

type UnderLock<Result> = (tx: Transaction) => Promise<Result>

/** Migrates, until `signal` ends it. */
export const underMigrationLock = <Result>(connection: Connection, signal: AbortSignal, work: UnderLock<Result>) =>
  migrate(connection, work, undefined, signal)

/**
 * Migrates, and at the very first start makes an organization with a key, all under the migration lock. Later starts return
 * the organization for which the stored key is valid, if there still is one.
 */
export const prepare = (
  config: Config,
  connection: Connection,
  keyring: Keyring,
  signal: AbortSignal,
): Promise<First> =>
  underMigrationLock(connection, signal, async (tx) => {
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
  // The first position of this database is that of the entry.
  await enterEpoch(tx)
  const record = createRecorder({ clock, keyring })(act)
  return createOrganization(tx, { name, pricingTier: defaultTier }, { clock, createSigningKeys, record })
}

/**
 * `signet init`: makes the first organization of an installation on the operator's own database. Throws one readable line
 * when there already is an organization.
 */
export async function initialize(
  config: Config,
  databaseUrl: string,
  name: string,
  { say, signal }: { say: Say; signal: AbortSignal },
) {
  const keyring = createKeyring(requireMasterKeys(config))
  const connection = renewableConnection(databaseUrl, config.databaseUrlFile)
  await awaitServer(connection, config.databaseWaitMs, say, { signal })
  return underMigrationLock(connection, signal, async (tx) => {
    await initializeInstallation(tx, config, keyring)
    if (await firstOrganizationId(tx))
      throw new Error('there is an organization already; the operator makes more with POST /organizations')
    return makeOrganization(tx, name, keyring)
  })
}
