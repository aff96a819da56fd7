import { openDatabase } from '../../server/src/database/database.ts'
import { insertGroup } from '../../server/src/groups/group-store.ts'
import { setGroups } from '../../server/src/groups/memberships.ts'
import { readApiKey } from '../../server/src/organizations/api-key.ts'
import { findKeyByHash } from '../../server/src/organizations/api-key-store.ts'
import { toTimestamp } from '../../server/src/runtime/clock.ts'
import type { Connection } from './database.ts'

export type Caller = { organizationId: string; apiKey: string }

/**
 * The statements of two operations, by the product's own functions, connections and transactions: the key is looked up,
 * then the work is done.
 */
export function openStatements(connection: Connection) {
  const database = openDatabase(connection)
  const now = () => toTimestamp(Date.now())

  const lookUpKey = async ({ organizationId, apiKey }: Caller) => {
    const given = readApiKey(apiKey)
    const key = given && (await findKeyByHash(database.read, organizationId, given.hash, now()))
    if (!key) throw new Error('the key is not valid')
  }

  return {
    create: async (caller: Caller, name: string) => {
      await lookUpKey(caller)
      return insertGroup(database.write, caller.organizationId, { name, description: '', createdAt: now() })
    },
    set: async (caller: Caller, personId: string, groups: string[]) => {
      await lookUpKey(caller)
      return database.transaction((tx) => setGroups(tx, caller.organizationId, personId, groups))
    },
  }
}
