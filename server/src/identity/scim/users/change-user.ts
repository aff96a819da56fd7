import { isDeepStrictEqual } from 'node:util'
import type { Publish } from '../../../delivery/events/index.ts'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { type DirectoryUser, lockUserNames, takenNames, updateUser, userNamesToLock } from '../../directories/index.ts'
import { type EndSessions, lockPerson } from '../../persons/index.ts'
import { requireVersion } from '../http/entity-tag.ts'
import { readProjection } from '../http/list-query.ts'
import type { ScimCall, ScimReply, ScimRoute } from '../http/scim-route.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import { readPatch } from '../patch/read-patch.ts'
import type { Resource } from '../schema/attributes.ts'
import { readResource } from '../schema/read-resource.ts'
import { isWanted } from '../schema/to-answer.ts'
import { userSchema } from '../schema/user-schema.ts'
import { auditedUser } from './audited-user.ts'
import { refuseTaken } from './create-user.ts'
import { findKnown } from './find-known.ts'
import { handlesToLock, keepHandles } from './handles-of-user.ts'
import { withHeldDirectory } from './hold-directory.ts'
import { type PushedUser, readUser } from './read-user.ts'
import { switchUser } from './switch-user.ts'
import { replyWith, resourceOf } from './user-answer.ts'

type Dependencies = { database: Database; clock: Clock; publish: Publish; endSessions: EndSessions }
/** The resource as it is to be. */
type Apply = (stored: Resource) => Resource

export const changeUserRoutes = (dependencies: Dependencies): ScimRoute[] => [
  {
    id: 'replaceScimUser',
    method: 'PUT',
    path: '/Users/:id',
    maxBodyBytes: 1_048_576,
    // What it does not name is gone, but for the switch: nobody is let in by not being named.
    handle: (call) => {
      const resource = readResource(userSchema, call.body)
      return changeUser(call, ({ active }) => ({ active, ...resource }), dependencies)
    },
  },
  {
    id: 'changeScimUser',
    method: 'PATCH',
    path: '/Users/:id',
    maxBodyBytes: 1_048_576,
    handle: (call) => {
      const operations = readPatch(userSchema, call.body)
      return changeUser(call, (stored) => applyPatch(stored, operations), dependencies)
    },
  },
]

async function changeUser(call: ScimCall, apply: Apply, dependencies: Dependencies): Promise<ScimReply> {
  const { database } = dependencies
  const projection = readProjection(userSchema, call.query)
  const hasGroups = isWanted(projection, 'groups')
  const stored = await findKnown(database.read, call, hasGroups)
  // Most of what clients repeat changes nothing, and then nothing is locked.
  const isChanged = changeOf(stored, apply, call) !== undefined
  const user = isChanged
    ? await database.transaction((tx) => write(tx, call, { id: stored.id, hasGroups, apply }, dependencies))
    : stored
  return replyWith(call, user, { status: 200, projection })
}

type Changed = { earlier: PushedUser; user: PushedUser; active: boolean }

/** Undefined: it changes nothing. Throws a 412 where the client has read another version. */
function changeOf(stored: DirectoryUser, apply: Apply, { directory, ifMatch }: ScimCall): Changed | undefined {
  requireVersion(ifMatch, stored.version)
  const before = resourceOf(stored)
  const user = readUser(apply(before), directory)
  const active = user.active ?? true
  if (isDeepStrictEqual(resourceOf({ ...user, active }), before)) return undefined
  return { earlier: readUser(before, directory), user, active }
}

type Writing = { id: string; hasGroups: boolean; apply: Apply }

/** The person is locked first, as by everybody, then the names. */
async function write(
  tx: Transaction,
  asked: ScimCall,
  { id, hasGroups, apply }: Writing,
  { clock, publish, endSessions }: Dependencies,
): Promise<DirectoryUser> {
  const { organizationId, caller, record } = asked
  // Sent together: what is read stays.
  const [call, , stored] = await Promise.all([
    withHeldDirectory(tx, asked),
    lockPerson(tx, organizationId, id),
    findKnown(tx, asked, hasGroups),
  ])
  const { directory } = call
  const changed = changeOf(stored, apply, call)
  if (!changed) return stored
  const { earlier, user, active } = changed
  await takeNames(tx, call, id, changed)
  const now = toTimestamp(clock.now())
  const hasNewHandles = !isDeepStrictEqual(earlier.handles.map(asHandle), user.handles.map(asHandle))
  const [events, handles] = await Promise.all([
    active === stored.active ? [] : switchUser(tx, organizationId, id, { active, caller, endSessions }),
    hasNewHandles ? keepHandles(tx, organizationId, { personId: id, directory }, user.handles) : undefined,
    updateUser(tx, organizationId, { ...user, personId: id, directoryId: directory.id, now }),
  ])
  const attributes = user.attributes as Record<string, unknown>
  const after = { ...stored, ...user, attributes, active, version: stored.version + 1, updated_at: new Date(now) }
  const change = {
    target: { type: 'person' as const, id },
    before: { ...auditedUser(stored), ...(handles && { handles: handles.before }) },
    after: {
      ...auditedUser(after),
      ...(handles && { handles: handles.after }),
      changed_attributes: namesOfChanged(stored.attributes, attributes),
    },
  }
  await tx.last(() =>
    Promise.all([record(tx, organizationId, change), events.length > 0 && publish(tx, organizationId, events)]),
  )
  return after
}

/** Throws a 409 where another user has one. */
async function takeNames(
  tx: Transaction,
  { organizationId, directory }: ScimCall,
  personId: string,
  { earlier, user }: Changed,
) {
  const names = namesThatChange(directory.id, earlier, user)
  if (names.length === 0) return
  const [, taken] = await Promise.all([
    lockUserNames(tx, organizationId, names),
    takenNames(tx, organizationId, directory.id, { personId, ...user }),
  ])
  refuseTaken(taken)
}

/** Those that are given or taken away. */
function namesThatChange(directoryId: string, earlier: PushedUser, later: PushedUser): string[] {
  const [before, after] = [earlier, later].map(
    (user) => new Set([...userNamesToLock(directoryId, user), ...handlesToLock(user.handles)]),
  ) as [Set<string>, Set<string>]
  return [...before.symmetricDifference(after)]
}

const asHandle = ({ type, key, value, isVouched }: PushedUser['handles'][number]) => [type, key, value, isVouched]

const namesOfChanged = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )
