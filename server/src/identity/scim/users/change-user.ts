import { isDeepStrictEqual } from 'node:util'
import type { Publish } from '../../../delivery/events/index.ts'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import type { Change } from '../../../ground/http/chain/recorded-change.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { type DirectoryUser, updateUser } from '../../directories/index.ts'
import { type EndSessions, lockPerson } from '../../persons/index.ts'
import { withHeldDirectory } from '../held-directory.ts'
import { requireVersion } from '../http/entity-tag.ts'
import { readProjection } from '../http/list-query.ts'
import type { ScimCall, ScimReply, ScimRoute } from '../http/scim-route.ts'
import { applyPatch } from '../patch/apply-patch.ts'
import { readPatch } from '../patch/read-patch.ts'
import type { Resource } from '../schema/attributes.ts'
import { readResource } from '../schema/read-resource.ts'
import { isWanted } from '../schema/to-answer.ts'
import { userSchema } from '../schema/user-schema.ts'
import { type Accounts, type AccountsOf, accountsAt, accountsStill, refuseAccountOfAnother } from './accounts.ts'
import { auditedUser } from './audited-user.ts'
import { findKnown } from './find-known.ts'
import { type KeptHandles, keepHandles } from './handles-of-user.ts'
import { maxUserBytes, type PushedUser, readUser } from './read-user.ts'
import { switchUser } from './switch-user.ts'
import { replyWith, resourceOf } from './user-answer.ts'
import { namesOf, takeNames } from './user-names.ts'

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  endSessions: EndSessions
  accountsOf: AccountsOf
}
/** The resource as it is to be. */
type Apply = (stored: Resource) => Resource

export const changeUserRoutes = (dependencies: Dependencies): ScimRoute[] => [
  {
    id: 'replaceScimUser',
    method: 'PUT',
    path: '/Users/:id',
    maxBodyBytes: maxUserBytes,
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
    maxBodyBytes: maxUserBytes,
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
  const changed = changeOf(stored, apply, call)
  if (!changed) return replyWith(call, stored, { status: 200, projection })
  const accounts = isOtherAccount(changed) ? await accountsAt(call, dependencies) : undefined
  const writing = { id: stored.id, hasGroups, apply, accounts }
  const user = await database.transaction((tx) => write(tx, call, writing, dependencies))
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

const isOtherAccount = ({ earlier, user }: Changed) => earlier.externalId !== user.externalId

type Writing = { id: string; hasGroups: boolean; apply: Apply; accounts: Accounts | undefined }

/** The person is locked first, as by everybody, then the names. */
async function write(
  tx: Transaction,
  asked: ScimCall,
  { id, hasGroups, apply, accounts }: Writing,
  dependencies: Dependencies,
): Promise<DirectoryUser> {
  const { organizationId, record } = asked
  // Sent together: what is read stays.
  const [call, , stored] = await Promise.all([
    withHeldDirectory(tx, asked),
    lockPerson(tx, organizationId, id),
    findKnown(tx, asked, hasGroups),
  ])
  const changed = changeOf(stored, apply, call)
  if (!changed) return stored
  const names = namesThatChange(call.directory.id, changed)
  const named = { personId: id, user: changed.user }
  if (names.length > 0) await takeNames(tx, call, { ...named, names })
  if (isOtherAccount(changed))
    await refuseAccountOfAnother(tx, organizationId, {
      ...named,
      directory: call.directory,
      accounts: accountsStill(asked, call, accounts),
    })
  const { after, handles, events } = await store(tx, call, { stored, changed }, dependencies)
  const change = toChange(stored, after, handles)
  await tx.last(() =>
    Promise.all([
      record(tx, organizationId, change),
      events.length > 0 && dependencies.publish(tx, organizationId, events),
    ]),
  )
  return after
}

type Storing = { stored: DirectoryUser; changed: Changed }

/** Gives the user as it is now, the handles where they are others, and the events to publish. */
async function store(
  tx: Transaction,
  { organizationId, directory, caller }: ScimCall,
  { stored, changed: { earlier, user, active } }: Storing,
  { clock, endSessions }: Dependencies,
) {
  const { id } = stored
  const now = toTimestamp(clock.now())
  const hasNewHandles = !isDeepStrictEqual(earlier.handles.map(asHandle), user.handles.map(asHandle))
  const [events, handles] = await Promise.all([
    active === stored.active ? [] : switchUser(tx, organizationId, id, { active, caller, endSessions }),
    hasNewHandles ? keepHandles(tx, organizationId, { personId: id, directory }, user.handles) : undefined,
    updateUser(tx, organizationId, { ...user, personId: id, directoryId: directory.id, now }),
  ])
  const attributes = user.attributes as Record<string, unknown>
  const after = { ...stored, ...user, attributes, active, version: stored.version + 1, updated_at: new Date(now) }
  return { after, handles, events }
}

const toChange = (stored: DirectoryUser, after: DirectoryUser, handles: KeptHandles | undefined): Change => ({
  target: { type: 'person', id: stored.id },
  before: { ...auditedUser(stored), ...(handles && { handles: handles.before }) },
  after: {
    ...auditedUser(after),
    ...(handles && { handles: handles.after }),
    changed_attributes: namesOfChanged(stored.attributes, after.attributes),
  },
})

/** Those that are given or taken away. */
function namesThatChange(directoryId: string, { earlier, user }: Changed): string[] {
  const [before, after] = [new Set(namesOf(directoryId, earlier)), new Set(namesOf(directoryId, user))]
  return [...before.symmetricDifference(after)]
}

const asHandle = ({ type, key, value, isVouched }: PushedUser['handles'][number]) => [type, key, value, isVouched]

const namesOfChanged = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )
