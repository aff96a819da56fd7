import { Type } from 'typebox'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation, type Principal } from '../../ground/http/chain/operation.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import type { EndSessions } from '../issuer/index.ts'
import { lockPerson, PersonPath, personIdIn, requireUnguarded } from '../persons/index.ts'

type Dependencies = { database: Database; clock: Clock; endSessions: EndSessions }
type Ended = { personId: string; sessionUid?: string }

const heard = 'Their applications hear it, by a logout token. ID tokens that were issued stay valid until they expire.'

export const endPersonSessions = (dependencies: Dependencies) =>
  operation({
    id: 'endPersonSessions',
    method: 'DELETE',
    path: '/persons/:person_id/sessions',
    scope: 'persons:write',
    tag: 'Persons',
    summary: 'End all sessions of a person',
    description: `Ends the sessions, refresh tokens and codes of the person, who may sign in again. ${heard}`,
    params: PersonPath,
    status: 204,
    handle: ({ organizationId, principal, record, params }) =>
      end(dependencies, organizationId, { personId: personIdIn(params) }, { principal, record }),
  })

export const endPersonSession = (dependencies: Dependencies) =>
  operation({
    id: 'endPersonSession',
    method: 'DELETE',
    path: '/persons/:person_id/sessions/:session_id',
    scope: 'persons:write',
    tag: 'Persons',
    summary: 'End a session of a person',
    description: `Ends the session, and the refresh tokens and codes that were issued in it. ${heard}`,
    params: Type.Object({
      ...PersonPath.properties,
      session_id: Type.String({
        description: 'The id of the session.',
        examples: ['Yk3Q0yPzVbq0m8wDq2Z7tJr5l1fH4sN9cX6uE0aBgKo'],
      }),
    }),
    status: 204,
    handle: ({ organizationId, principal, record, params }) => {
      const ended = { personId: personIdIn(params), sessionUid: params.session_id }
      return end(dependencies, organizationId, ended, { principal, record })
    },
  })

/** The person is held first: a sign-in that is finishing waits, and is refused or comes after. */
const end = (
  { database, clock, endSessions }: Dependencies,
  organizationId: string,
  ended: Ended,
  { principal, record }: { principal: Principal | undefined; record: RecordChange },
) =>
  database.transaction(async (tx) => {
    // Whose sign-in is not recent may end sessions all the same, for that may not wait.
    if (!principal?.isAdmin) await requireUnguarded(tx, organizationId, principal, { personId: ended.personId })
    const [isThere, count] = await Promise.all([
      lockPerson(tx, organizationId, ended.personId),
      endSessions(tx, organizationId, ended, toTimestamp(clock.now())),
    ])
    if (!isThere) throw notFound('person')
    if (ended.sessionUid !== undefined && count === 0) throw notFound('session')
    await recordEnd(tx, organizationId, ended, count, record)
  })

const recordEnd = (
  tx: Transaction,
  organizationId: string,
  { personId, sessionUid }: Ended,
  count: number,
  record: RecordChange,
) =>
  record(
    tx,
    organizationId,
    sessionUid === undefined
      ? { target: { type: 'person', id: personId }, before: { sessions_count: count } }
      : { target: { type: 'person_session', id: sessionUid }, before: { id: sessionUid, person_id: personId } },
  )
