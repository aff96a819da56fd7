import { Type } from 'typebox'
import { analyticsOf, type Publish } from '../../delivery/events/index.ts'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { operation, type Principal } from '../../ground/http/chain/operation.ts'
import { requireScopeFor } from '../../ground/http/chain/require-scopes.ts'
import { closed, named, oneOf } from '../../ground/http/chain/schemas.ts'
import { withinLimit } from '../../ground/limits/index.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import type { FindKept } from '../organizations/index.ts'
import { explained } from './explained.ts'
import {
  GroupNames,
  holdGroups,
  insertMembershipsOf,
  isOfMissingGroup,
  refuseKept,
  requireGroups,
} from './groups/index.ts'
import { requireStillOwner, requireUnguarded } from './guarded.ts'
import { insertHandles, isTaken, type WrittenHandle } from './handle-store.ts'
import { Handles, readHandles, refuseTaken, requireVoucher } from './handles.ts'
import { PersonRecord, personFields } from './person-record.ts'
import { countPersons, insertPerson } from './person-store.ts'

type Joining = { principal: Principal | undefined; body: { groups?: unknown[] } }

/** An empty list joins nothing. */
const requireJoining = ({ principal, body: { groups = [] } }: Joining) =>
  groups.length > 0 && requireScopeFor('groups', principal, 'groups:write')

type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  findKept: FindKept
  region: string
  regions: string[]
}

const newPerson = (regions: string[]) =>
  named(
    'NewPerson',
    closed({
      handles: Type.Optional(Handles),
      groups: Type.Optional(GroupNames),
      region: Type.Optional({ ...personFields.region, ...oneOf(regions) }),
      active: Type.Optional(personFields.active),
    }),
  )

export const createPerson = ({ database, clock, publish, findKept, region: ownRegion, regions }: Dependencies) =>
  operation({
    id: 'createPerson',
    method: 'POST',
    path: '/persons',
    scope: 'persons:write',
    tag: 'Persons',
    summary: 'Create a person',
    description:
      'Publishes PersonCreated_v1. Without `region` it is that of the service; without `active` the person is active. A ' +
      'handle that another person has is a conflict. Groups that do not exist are each named in the response, and those that a directory keeps (409). Whatever is ' +
      'refused, no person is created. `groups` also needs the scope `groups:write`, unless it is empty.',
    body: newPerson(regions),
    rules: [
      ({ body }) => readHandles(body.handles ?? []),
      (call) => {
        // First: a key without that scope must not learn which groups there are.
        requireJoining(call)
        return requireGroups(database.read, call.organizationId, call.body.groups)
      },
    ],
    status: 201,
    result: PersonRecord,
    confidentialOf: 'person_id',
    refusals: [402, 409],
    handle: async ({ organizationId, principal, isAdmin, limits, caller, record, body }) => {
      const { active = true, region = ownRegion } = body
      const handles = readHandles(body.handles ?? [])
      requireVoucher(handles, isAdmin)
      requireJoining({ principal, body })
      const now = clock.now()
      const id = makeId(now)
      const createdAt = toTimestamp(now)
      const groups = [...new Set(body.groups)].sort()
      const after = { person_id: id, active, region, handles: handles.map(toNew), groups, created_at: createdAt }
      const event = {
        name: 'PersonCreated_v1' as const,
        content: { analytics_metadata: analyticsOf(caller), person_id: id, region },
      }
      const create = async (tx: Transaction) => {
        if (groups.length > 0) {
          await requireUnguarded(tx, organizationId, principal, { groups })
          await requireStillOwner(tx, organizationId, principal)
          await Promise.all([holdGroups(tx, organizationId, groups), refuseKept(findKept, tx, organizationId, groups)])
        }
        const count = () => countPersons(tx, organizationId)
        await withinLimit(tx, organizationId, { limit: limits.max_persons, adding: 1, count, what: 'persons' })
        // A handle that is taken and a group that is missing make their statement fail, which rolls back all.
        await tx.last(() =>
          Promise.all([
            insertPerson(tx, organizationId, { id, active, region, createdAt }),
            handles.length > 0 && insertHandles(tx, organizationId, id, handles),
            groups.length > 0 && insertMembershipsOf(tx, organizationId, id, groups),
            record(tx, organizationId, { target: { type: 'person', id }, after }),
            publish(tx, organizationId, [event]),
          ]),
        )
        return after
      }
      const explain = async (failure: unknown) => {
        if (isTaken(failure)) await refuseTaken(database.read, organizationId, id, handles)
        else if (isOfMissingGroup(failure)) await requireGroups(database.read, organizationId, body.groups)
        else throw failure
      }
      return explained(() => database.transaction(create), explain)
    },
  })

/** Whether it is verified is always shown; the audit log says who vouches for it, too. */
const toNew = ({ verified = false, ...handle }: WrittenHandle) => ({
  ...handle,
  verified,
  vouchedBy: verified ? 'admin_key' : null,
})
