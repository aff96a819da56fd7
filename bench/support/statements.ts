import { openDatabase } from '../../server/src/ground/database/database.ts'
import { createKeyring } from '../../server/src/ground/keys/index.ts'
import { toTimestamp } from '../../server/src/ground/runtime/clock.ts'
import { createRecorder } from '../../server/src/identity/audit-log/index.ts'
import { readApiKey } from '../../server/src/identity/organizations/api-key.ts'
import { findKeyByHash } from '../../server/src/identity/organizations/api-key-store.ts'
import { createdGroup, insertGroup } from '../../server/src/identity/persons/groups/group-store.ts'
import { setGroups } from '../../server/src/identity/persons/groups/memberships.ts'
import type { Connection } from './database.ts'

export type Caller = { organizationId: string; apiKey: string }

/**
 * The statements of two operations, by the product's own functions, connections and transactions: the key is looked up,
 * then the work is done.
 */
export function openStatements(connection: Connection) {
  const database = openDatabase(connection)
  const now = () => toTimestamp(Date.now())
  const recordAs = createRecorder({ clock: Date, keyring: createKeyring([Buffer.alloc(32)]) })
  const recordFor = (action: string) =>
    recordAs({ actor: { type: 'operator', id: null, name: null }, action, requestId: null, clientAddress: null })

  const lookUpKey = async ({ organizationId, apiKey }: Caller) => {
    const given = readApiKey(apiKey)
    const key = given && (await findKeyByHash(database.read, organizationId, given.hash, now()))
    if (!key) throw new Error('the key is not valid')
  }

  return {
    create: async (caller: Caller, name: string) => {
      await lookUpKey(caller)
      const createdAt = now()
      const after = { name, description: '', members_count: 0, created_at: createdAt }
      const change = { target: { type: 'group' as const, id: name }, after }
      const entry = recordFor('createGroup').within(caller.organizationId, change, createdGroup)
      return insertGroup(database.write, caller.organizationId, { name, description: '', createdAt }, entry)
    },
    set: async (caller: Caller, personId: string, groups: string[]) => {
      await lookUpKey(caller)
      return database.transaction(async (tx) => {
        const set = await setGroups(tx, caller.organizationId, personId, groups)
        const change = { before: { groups: set.before }, after: { groups: set.after } }
        const target = { type: 'person' as const, id: personId }
        await recordFor('setPersonGroups')(tx, caller.organizationId, { target, ...change })
        return set.after
      })
    },
  }
}
