import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { idInPath } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { takeSession } from './session-store.ts'

export const endConsoleSession = ({ database }: { database: Database }) =>
  operation({
    id: 'endConsoleSession',
    method: 'DELETE',
    path: '/organizations/console-sessions/:id',
    scope: 'settings:write',
    adminOnly: true,
    tag: 'Console',
    summary: 'End a session of the console',
    description:
      'The browser is signed out at its next request. That of this request itself may be ended too. Whoever still has the key, or is ' +
      'still in the group, can sign in again: revoke the key, or take the person out of the group, to prevent that.',
    params: Type.Object({ id: idInPath('The id of the session.') }),
    status: 204,
    handle: ({ organizationId, record, params: { id } }) =>
      database.transaction(async (tx) => {
        const ended = isUuid(id) && (await takeSession(tx, organizationId, id))
        if (!ended) throw notFound('console session')
        const { keyId, personId, endsAt } = ended
        const by = { type: personId === null ? 'key' : 'person', id: personId ?? keyId }
        const before = { id: ended.id, by, ends_at: endsAt }
        await record(tx, organizationId, { target: { type: 'console_session', id: ended.id }, before })
      }),
  })
