import type { Publish } from '../../delivery/events/index.ts'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { KeepOwner } from '../organizations/index.ts'
import type { EndSessions } from './change-person.ts'
import { requireUnguarded } from './guarded.ts'
import type { HandleHashes } from './handle-hash.ts'
import { PersonPath, personIdIn } from './person-record.ts'
import { removePerson, tellRemoved } from './remove-person.ts'

type Dependencies = {
  database: Database
  publish: Publish
  endSessions: EndSessions
  keepOwner: KeepOwner
  handleHashes: HandleHashes
}

export const deletePerson = ({ database, publish, endSessions, keepOwner, handleHashes }: Dependencies) =>
  operation({
    id: 'deletePerson',
    method: 'DELETE',
    path: '/persons/:person_id',
    scope: 'persons:write',
    recentSignIn: true,
    tag: 'Persons',
    summary: 'Delete a person',
    description:
      'Publishes PersonDeleted_v1 with the handles and groups that the person had. Their applications hear that the sessions have ended.',
    params: PersonPath,
    status: 204,
    handle: ({ organizationId, principal, record, params }) => {
      const personId = personIdIn(params)
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { personId })
        const remove = () => removePerson(tx, organizationId, personId, endSessions)
        const person = await keepOwner(tx, organizationId, principal, remove)
        if (!person) throw notFound('person')
        await tellRemoved(tx, organizationId, person, { publish, handleHashes, record })
      })
    },
  })
