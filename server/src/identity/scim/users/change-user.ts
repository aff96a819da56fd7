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
import { untilCurrent } from './until-current.ts'
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
  const { database, clock } = dependencies
  const projection = readProjection(userSchema, call.query)
  const changed = await untilCurrent(async () => {
    const stored = await findKnown(database.read, call, isWanted(projection, 'groups'))
    requireVersion(call.ifMatch, stored.version)
    const before = resourceOf(stored)
    const wanted = apply(before)
    const { active, ...user } = readUser(wanted, call.directory)
    // Most of what clients repeat changes nothing.
    if (isDeepStrictEqual(resourceOf({ ...user, active: active ?? true }), before)) return stored
    const now = toTimestamp(clock.now())
    return database.transaction((tx) => write(tx, call, { stored, wanted, now }, dependencies))
  })
  return replyWith(call, changed, { status: 200, projection })
}

type Writing = { stored: DirectoryUser; wanted: Resource; now: string }

/** Undefined: the user was changed meanwhile. */
async function write(
  tx: Transaction,
  call: ScimCall,
  { stored, wanted, now }: Writing,
  { publish, endSessions }: Dependencies,
): Promise<DirectoryUser | undefined> {
  const { organizationId, caller, record } = call
  const { directory } = await withHeldDirectory(tx, call)
  const { id, version } = stored
  const [earlier, user] = [readUser(resourceOf(stored), directory), readUser(wanted, directory)]
  const active = user.active ?? true
  const names = namesThatChange(directory.id, earlier, user)
  if (names.length > 0) {
    await lockUserNames(tx, organizationId, names)
    refuseTaken(await takenNames(tx, organizationId, directory.id, { personId: id, ...user }))
  }
  // Sent together, the lock first.
  const [, isCurrent] = await Promise.all([
    lockPerson(tx, organizationId, id),
    updateUser(tx, organizationId, { ...user, personId: id, directoryId: directory.id, version, now }),
  ])
  if (!isCurrent) return undefined
  const hasNewHandles = !isDeepStrictEqual(earlier.handles.map(asHandle), user.handles.map(asHandle))
  const [events, handles] = await Promise.all([
    active === stored.active ? [] : switchUser(tx, organizationId, id, { active, caller, endSessions }),
    hasNewHandles ? keepHandles(tx, organizationId, { personId: id, directory }, user.handles) : undefined,
  ])
  const attributes = user.attributes as Record<string, unknown>
  const changed = { ...stored, ...user, attributes, active, version: version + 1, updated_at: new Date(now) }
  const change = {
    target: { type: 'person' as const, id },
    before: { ...auditedUser(stored), ...(handles && { handles: handles.before }) },
    after: {
      ...auditedUser(changed),
      ...(handles && { handles: handles.after }),
      changed_attributes: namesOfChanged(stored.attributes, attributes),
    },
  }
  await tx.last(() =>
    Promise.all([record(tx, organizationId, change), events.length > 0 && publish(tx, organizationId, events)]),
  )
  return changed
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
