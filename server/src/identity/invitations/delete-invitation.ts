import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { idInPath } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { targetOf, toRecord } from './invitation-record.ts'
import { closeOpenInvitation } from './invitation-store.ts'

type Dependencies = { database: Database; clock: Clock }

export const deleteInvitation = ({ database, clock }: Dependencies) =>
  operation({
    id: 'deleteConsoleInvitation',
    method: 'DELETE',
    path: '/organizations/console-invitations/:id',
    scope: 'settings:write',
    adminOnly: true,
    tag: 'Organization settings',
    summary: 'Delete an invitation to the console',
    description: 'Nobody can use it any more, not even whoever has opened it and is signing in.',
    params: Type.Object({ id: idInPath('The id of the invitation.') }),
    status: 204,
    handle: ({ organizationId, record, params: { id } }) =>
      database.transaction(async (tx) => {
        if (!isUuid(id)) throw noSuchInvitation()
        const invitation = await closeOpenInvitation(tx, organizationId, id, toTimestamp(clock.now()))
        if (!invitation) throw noSuchInvitation()
        await record(tx, organizationId, { target: targetOf(invitation.id), before: toRecord(invitation) })
      }),
  })

const noSuchInvitation = () => notFound('console invitation')
