import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { findPerson, PersonPath, personIdIn } from '../persons/index.ts'
import { PersonSessionRecord } from './person-session-record.ts'
import { pageOfSessions } from './person-session-store.ts'

export const listPersonSessions = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'listPersonSessions',
    method: 'GET',
    path: '/persons/:person_id/sessions',
    scope: 'persons:read',
    tag: 'Persons',
    summary: 'List the sessions of a person',
    description: 'The browsers in which the person is signed in; the one that was used last first.',
    params: PersonPath,
    result: PersonSessionRecord,
    paged: true,
    handle: async ({ organizationId, params, query }) => {
      const personId = personIdIn(params)
      const [person, { items, totalCount }] = await Promise.all([
        findPerson(database.read, organizationId, personId),
        pageOfSessions(database.pages, organizationId, { personId, now: toTimestamp(clock.now()) }, query),
      ])
      if (!person) throw notFound('person')
      const shown = items.map(({ oauth_client_id, ...session }) => ({
        ...session,
        ...(oauth_client_id !== null && { oauth_client_id }),
      }))
      return { items: shown, totalCount }
    },
  })
