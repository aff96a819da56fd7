import type { Publish } from '../../../delivery/events/index.ts'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { type DirectoryUser, leaveDirectoryGroups, removeUser } from '../../directories/index.ts'
import { holdConsoleAccess, type OperatorGroup, operatorsIn } from '../../organizations/index.ts'
import { deleteMemberships, groupEvents } from '../../persons/groups/index.ts'
import {
  activityEvents,
  type EndSessions,
  findPerson,
  guardedGroupOf,
  guardedIn,
  type HandleHashes,
  keepDirectoryHandles,
  lockPerson,
  removePerson,
  switchPerson,
  tellRemoved,
} from '../../persons/index.ts'
import { noSuchResource } from '../errors.ts'
import { withHeldDirectory } from '../held-directory.ts'
import { requireVersion } from '../http/entity-tag.ts'
import type { ScimCall, ScimRoute } from '../http/scim-route.ts'
import { findKnown } from './find-known.ts'

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  endSessions: EndSessions
  handleHashes: HandleHashes
  operatorGroup: OperatorGroup | undefined
}

export const deleteUser = (dependencies: Dependencies): ScimRoute => ({
  id: 'deleteScimUser',
  method: 'DELETE',
  path: '/Users/:id',
  handle: async (call) => {
    await dependencies.database.transaction((tx) => remove(tx, call, dependencies))
    return { status: 204 }
  },
})

async function remove(tx: Transaction, asked: ScimCall, dependencies: Dependencies) {
  const { organizationId, record } = asked
  const { endSessions } = dependencies
  // First, as everywhere: a group may become guarded now.
  await holdConsoleAccess(tx, organizationId)
  const call = await withHeldDirectory(tx, asked)
  const { id } = await findKnown(tx, call, false)
  await lockPerson(tx, organizationId, id)
  const user = await findKnown(tx, call, false)
  requireVersion(call.ifMatch, user.version)
  if (await mustStay(tx, call, user, dependencies)) return detach(tx, call, user, dependencies)
  const person = await removePerson(tx, organizationId, id, endSessions)
  if (!person) throw noSuchResource()
  await tellRemoved(tx, organizationId, person, { ...dependencies, record })
}

/** Who was there before, or opens the console, is not the directory's to delete. */
async function mustStay(
  tx: Transaction,
  { organizationId, directory }: ScimCall,
  { id, adopted }: DirectoryUser,
  { operatorGroup }: Dependencies,
): Promise<boolean> {
  if (adopted || directory.on_delete === 'deactivate') return true
  const guarded = guardedIn(organizationId, operatorsIn(operatorGroup, organizationId))
  return (await guardedGroupOf(tx, guarded, id)) !== undefined
}

/** The person stays as though a key had switched the person off, and nothing that the directory gave. */
async function detach(
  tx: Transaction,
  { organizationId, directory, caller, record }: ScimCall,
  { id: personId }: DirectoryUser,
  { clock, publish, endSessions }: Dependencies,
) {
  const now = toTimestamp(clock.now())
  const groups = await leaveDirectoryGroups(tx, organizationId, { directoryId: directory.id, personId, now })
  const [before, , , , , , after] = await Promise.all([
    findPerson(tx, organizationId, personId),
    switchPerson(tx, organizationId, personId, { keyActive: false, directoryActive: true }),
    endSessions(tx, organizationId, personId),
    deleteMemberships(tx, organizationId, personId, groups),
    keepDirectoryHandles(tx, organizationId, { personId, directoryId: directory.id }, []),
    removeUser(tx, organizationId, directory.id, personId),
    findPerson(tx, organizationId, personId),
  ])
  if (!before || !after) throw noSuchResource()
  const left = groupEvents(caller, { id: personId, region: before.region }, { before: groups.sort(), after: [] })
  const events = [...activityEvents(caller, before, after), ...left]
  const change = { target: { type: 'person' as const, id: personId }, before, after }
  await tx.last(() =>
    Promise.all([record(tx, organizationId, change), events.length > 0 && publish(tx, organizationId, events)]),
  )
}
