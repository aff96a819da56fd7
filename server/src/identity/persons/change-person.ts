import { Type } from 'typebox'
import type { Publish } from '../../delivery/events/index.ts'
import type { Database, Queries, Transaction } from '../../ground/database/database.ts'
import { conflict, notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { closed, named } from '../../ground/http/chain/schemas.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { activityEvents } from './activity-events.ts'
import { explained } from './explained.ts'
import { requireUnguarded } from './guarded.ts'
import type { Handle } from './handle.ts'
import {
  insertHandles,
  isTaken,
  lockHandles,
  removeHandles,
  rewriteHandles,
  type StoredHandle,
  vouchByKey,
  type WrittenHandle,
  withdrawVouchers,
} from './handle-store.ts'
import { Handles, readHandles, refuseTaken, requireVoucher } from './handles.ts'
import { PersonPath, PersonRecord, personFields, personIdIn } from './person-record.ts'
import { findPerson, findSwitches, lockPerson, type Person, switchPerson } from './person-store.ts'

/** Ends the sessions of the person, and tells their applications. */
export type EndSessions = (tx: Transaction, organizationId: string, personId: string) => Promise<unknown>
/** The name of the directory that keeps the person. */
type DirectoryOf = (queries: Queries, organizationId: string, personId: string) => Promise<string | undefined>
type Dependencies = {
  database: Database
  publish: Publish
  endSessions: EndSessions
  keepOwner: KeepOwner
  directoryOf: DirectoryOf
}

const PersonChanges = named(
  'PersonChanges',
  closed(
    { active: Type.Optional(personFields.active), handles: Type.Optional(Handles) },
    { examples: [{ active: false }] },
  ),
)

export const changePerson = ({ database, publish, endSessions, keepOwner, directoryOf }: Dependencies) =>
  operation({
    id: 'changePerson',
    method: 'PATCH',
    path: '/persons/:person_id',
    scope: 'persons:write',
    tag: 'Persons',
    summary: 'Change a person',
    description:
      'What is absent stays. `handles` replaces all handles; one that the person had stays as verified as it was unless `verified` says ' +
      'otherwise. A handle that another person has is a conflict, and nothing changes. A person who is not active cannot sign in, and is ' +
      'signed out of everything, which their applications hear. Publishes PersonDeactivated_v1 or PersonActivated_v1 where that changed. ' +
      'Whom a directory has switched off stays so until the directory switches the person on: `active: true` is a conflict.',
    params: PersonPath,
    body: PersonChanges,
    rules: [({ body }) => readHandles(body.handles ?? [])],
    result: PersonRecord,
    refusals: [409],
    handle: async ({
      organizationId,
      principal,
      isAdmin,
      caller,
      record,
      params,
      body: { active, handles: newHandles },
    }) => {
      const personId = personIdIn(params)
      const handles = newHandles && readHandles(newHandles)
      requireVoucher(handles ?? [], isAdmin)
      const write = (tx: Transaction) =>
        // Sent together, the lock first.
        Promise.all([
          lockPerson(tx, organizationId, personId),
          findPerson(tx, organizationId, personId),
          findSwitches(tx, organizationId, personId),
          switchPerson(tx, organizationId, personId, { ...(active !== undefined && { keyActive: active }) }),
        ])
      const change = async (tx: Transaction) => {
        await requireUnguarded(tx, organizationId, principal, { personId })
        const [, before, switches] = await keepOwner(tx, organizationId, principal, () => write(tx))
        if (!before || !switches) throw notFound('person')
        if (active && !switches.directoryActive) throw heldOff(await directoryOf(tx, organizationId, personId))
        if (active === false) await endSessions(tx, organizationId, personId)
        const replaced = handles && (await replaceHandles(tx, organizationId, personId, handles))
        const after = (await findPerson(tx, organizationId, personId)) as Person
        // What a key decides of somebody whom a directory holds off shows nowhere else.
        const isHeldOff = active === false && !switches.directoryActive
        const keySwitch = (key_active: boolean) => isHeldOff && { key_active }
        const changed = {
          target: { type: 'person' as const, id: personId },
          before: {
            ...before,
            ...keySwitch(switches.keyActive),
            ...(replaced && { handles: replaced.before.map(toAudited) }),
          },
          after: { ...after, ...keySwitch(false), ...(replaced && { handles: replaced.after.map(toAudited) }) },
        }
        const events = activityEvents(caller, before, after)
        await tx.last(() =>
          Promise.all([record(tx, organizationId, changed), events.length > 0 && publish(tx, organizationId, events)]),
        )
        return after
      }
      const explain = async (failure: unknown) => {
        if (!handles || !isTaken(failure)) throw failure
        await refuseTaken(database.read, organizationId, personId, handles)
      }
      return explained(() => database.transaction(change), explain)
    },
  })

const heldOff = (directory: string | undefined) =>
  conflict(
    'switched_off_by_directory',
    `active: the directory ${directory ?? 'that keeps the person'} has switched the person off, and alone switches the person on`,
  )

/** For the audit log, which says who vouches for a handle, too. */
const toAudited = ({ type, value, verified, vouchedBy }: StoredHandle) => ({ type, value, verified, vouchedBy })

/** Returns the handles before and after, with who vouches for them. */
async function replaceHandles(tx: Transaction, organizationId: string, personId: string, written: WrittenHandle[]) {
  const before = await lockHandles(tx, organizationId, personId)
  const kept = written.filter((handle) => before.some(isSameAs(handle)))
  await Promise.all([
    removeHandles(
      tx,
      organizationId,
      personId,
      before.filter((handle) => !written.some(isSameAs(handle))),
    ),
    rewriteHandles(tx, organizationId, personId, kept),
    vouchByKey(
      tx,
      organizationId,
      kept.filter(({ verified }) => verified === true),
    ),
    withdrawVouchers(
      tx,
      organizationId,
      kept.filter(({ verified }) => verified === false),
    ),
    insertHandles(
      tx,
      organizationId,
      personId,
      written.filter((handle) => !kept.includes(handle)),
    ),
  ])
  return { before, after: await lockHandles(tx, organizationId, personId) }
}

const isSameAs = (handle: Handle) => (other: Handle) => other.type === handle.type && other.key === handle.key
