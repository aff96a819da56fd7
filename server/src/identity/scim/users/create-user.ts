import { analyticsOf, type Publish } from '../../../delivery/events/index.ts'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { hasRoom } from '../../../ground/limits/index.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { type DirectoryUser, insertUser } from '../../directories/index.ts'
import { holdConsoleAccess, type OperatorGroup } from '../../organizations/index.ts'
import { countPersons, type EndSessions, insertPerson, lockPerson } from '../../persons/index.ts'
import { tierLimit } from '../errors.ts'
import { withHeldDirectory } from '../held-directory.ts'
import { readProjection } from '../http/list-query.ts'
import type { ScimCall, ScimRoute } from '../http/scim-route.ts'
import type { Resource } from '../schema/attributes.ts'
import { readResource } from '../schema/read-resource.ts'
import { userSchema } from '../schema/user-schema.ts'
import { untilCurrent } from '../until-current.ts'
import { type Accounts, type AccountsOf, accountsAt, accountsStill } from './accounts.ts'
import { auditedUser } from './audited-user.ts'
import { findThere, mayBeAdopted, type Sought } from './find-adopted.ts'
import { keepHandles } from './handles-of-user.ts'
import { maxUserBytes, type PushedUser, readUser } from './read-user.ts'
import { switchUser } from './switch-user.ts'
import { replyWith } from './user-answer.ts'
import { namesOf, takeNames } from './user-names.ts'

export const adoptAction = 'adoptScimUser'

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  endSessions: EndSessions
  /** Of new persons. */
  region: string
  accountsOf: AccountsOf
  operatorGroup: OperatorGroup | undefined
}

/** `active`: the directory's switch. */
type NewUser = { call: ScimCall; user: PushedUser; active: boolean; createdAt: string }

export const createUser = (dependencies: Dependencies): ScimRoute => ({
  id: 'createScimUser',
  method: 'POST',
  path: '/Users',
  maxBodyBytes: maxUserBytes,
  handle: async (call) => {
    const { database, clock } = dependencies
    const projection = readProjection(userSchema, call.query)
    const resource = readResource(userSchema, call.body)
    const accounts = await accountsAt(call, dependencies)
    const created = await untilCurrent(() => {
      const createdAt = toTimestamp(clock.now())
      return database.transaction((tx) => create(tx, call, { resource, accounts, createdAt }, dependencies))
    })
    return replyWith(call, created, { status: 201, projection })
  },
})

type Given = { resource: Resource; accounts: Accounts | undefined; createdAt: string }

/**
 * Locks in the order in which all do: what opens the console (a group may become guarded now), the directory, the organization (where its
 * tier has a limit), the person whom the user becomes, the names. Undefined: that person has become another one meanwhile.
 */
async function create(
  tx: Transaction,
  asked: ScimCall,
  { resource, accounts, createdAt }: Given,
  dependencies: Dependencies,
): Promise<DirectoryUser | undefined> {
  const { organizationId, limits } = asked
  const [, call] = await Promise.all([holdConsoleAccess(tx, organizationId), withHeldDirectory(tx, asked)])
  const { directory } = call
  const user = readUser(resource, directory)
  const count = () => countPersons(tx, organizationId)
  const isRoom = await hasRoom(tx, organizationId, { limit: limits.max_persons, adding: 1, count })
  const id = makeId(dependencies.clock.now())
  const { operatorGroup } = dependencies
  const sought = { directory, accounts: accountsStill(asked, call, accounts), user, operatorGroup }
  const there = await lockThere(tx, call, id, sought)
  if (!there) return undefined
  const added = { call, user, active: user.active ?? true, createdAt }
  const { found } = there
  if (found && (await mayBeAdopted(tx, organizationId, found, sought)))
    return adopt(tx, found.personId, added, dependencies)
  if (!isRoom) throw beyondTier(limits)
  return make(tx, id, added, dependencies)
}

/**
 * The person whom the user with these names is to become, if there is one. A person is locked before names, but is found by them: so the
 * person is sought before both locks and under them. Undefined: they differ.
 */
async function lockThere(tx: Transaction, call: ScimCall, id: string, sought: Sought) {
  const { organizationId, directory } = call
  const { user } = sought
  const candidate = await findThere(tx, organizationId, sought)
  if (candidate) await lockPerson(tx, organizationId, candidate.personId)
  await takeNames(tx, call, { personId: id, user, names: namesOf(directory.id, user) })
  const found = await findThere(tx, organizationId, sought)
  return found?.personId === candidate?.personId ? { found } : undefined
}

const beyondTier = ({ max_persons }: ScimCall['limits']) =>
  tierLimit(`persons: the pricing tier allows at most ${max_persons}; once it allows more, a repeat works`)

async function make(tx: Transaction, id: string, added: NewUser, { publish, region }: Dependencies) {
  const { call, active, createdAt } = added
  const { organizationId, caller, record } = call
  const [, { created, audited }] = await Promise.all([
    insertPerson(tx, organizationId, { id, active: true, directoryActive: active, region, createdAt }),
    store(tx, id, added, false),
  ])
  const content = { analytics_metadata: analyticsOf(caller), person_id: id, region }
  await tx.last(() =>
    Promise.all([
      record(tx, organizationId, { target: { type: 'person', id }, after: { ...audited, region } }),
      publish(tx, organizationId, [{ name: 'PersonCreated_v1', content }]),
    ]),
  )
  return created
}

/** What a key gave or decided stays. */
async function adopt(tx: Transaction, id: string, added: NewUser, { publish, endSessions }: Dependencies) {
  const { call, active } = added
  const { organizationId, recordAs, caller } = call
  const [events, { created, audited, before }] = await Promise.all([
    switchUser(tx, organizationId, id, { active, caller, endSessions }),
    store(tx, id, added, true),
  ])
  const change = { target: { type: 'person' as const, id }, before: { handles: before }, after: audited }
  await tx.last(() =>
    Promise.all([
      recordAs(adoptAction)(tx, organizationId, change),
      events.length > 0 && publish(tx, organizationId, events),
    ]),
  )
  return created
}

/** Stores what the directory says of a person. */
async function store(tx: Transaction, id: string, { call, user, active, createdAt }: NewUser, adopted: boolean) {
  const { organizationId, directory } = call
  const [, handles] = await Promise.all([
    insertUser(tx, organizationId, { ...user, personId: id, directoryId: directory.id, adopted, createdAt }),
    keepHandles(tx, organizationId, { personId: id, directory }, user.handles),
  ])
  const at = new Date(createdAt)
  const created: DirectoryUser = {
    ...user,
    attributes: user.attributes as Record<string, unknown>,
    id,
    active,
    adopted,
    version: 1,
    created_at: at,
    updated_at: at,
    groups: [],
  }
  return { created, before: handles.before, audited: { ...auditedUser(created), handles: handles.after } }
}
