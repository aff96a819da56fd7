import { Type } from 'typebox'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { idInPath } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import type { EndSessions } from '../issuer/index.ts'
import type { KeepOwner } from '../organizations/index.ts'
import { lockPerson, PersonPath, personIdIn, removeIdentity, requireUnguarded } from '../persons/index.ts'

type Dependencies = { database: Database; clock: Clock; endSessions: EndSessions; keepOwner: KeepOwner }

export const deletePersonIdentity = ({ database, clock, endSessions, keepOwner }: Dependencies) =>
  operation({
    id: 'deletePersonIdentity',
    method: 'DELETE',
    path: '/persons/:person_id/identities/:identity_id',
    scope: 'persons:write',
    recentSignIn: true,
    tag: 'Persons',
    summary: 'Remove an identity from a person',
    description:
      'Ends the sessions, refresh tokens and codes that came of it, which their applications hear. A later sign-in with the identity ' +
      'counts as a first one, and is never linked to an existing person by an address.',
    params: Type.Object({ ...PersonPath.properties, identity_id: idInPath('The id of the identity.') }),
    status: 204,
    handle: ({ organizationId, principal, record, params }) => {
      const personId = personIdIn(params)
      const identityId = params.identity_id
      if (!isUuid(identityId)) throw notFound('identity')
      // Sent together, the lock first: a sign-in that is finishing waits for it, or ends with the person's sessions.
      const remove = (tx: Transaction) =>
        Promise.all([
          lockPerson(tx, organizationId, personId),
          removeIdentity(tx, organizationId, personId, identityId),
        ])
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { personId })
        const [, before] = await keepOwner(tx, organizationId, principal, () => remove(tx))
        if (!before) throw notFound('identity')
        await endSessions(tx, organizationId, { personId, identityId: before.id }, toTimestamp(clock.now()))
        const target = { type: 'identity' as const, id: before.id }
        await record(tx, organizationId, { target, before: { ...before, person_id: personId } })
      })
    },
  })
