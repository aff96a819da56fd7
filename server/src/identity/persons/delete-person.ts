import { forgetHandles, type Publish } from '../../delivery/events/index.ts'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import type { KeepOwner } from '../organizations/index.ts'
import type { EndSessions } from './change-person.ts'
import { requireUnguarded } from './guarded.ts'
import type { HandleHashes } from './handle-hash.ts'
import { PersonPath, personIdIn } from './person-record.ts'
import { deletePerson as deleteStored, findPerson, lockPerson } from './person-store.ts'

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
      // Sent together: the lock guarantees that what is read is what is deleted.
      const remove = (tx: Transaction) =>
        Promise.all([
          lockPerson(tx, organizationId, personId),
          findPerson(tx, organizationId, personId),
          endSessions(tx, organizationId, personId),
          deleteStored(tx, organizationId, personId),
        ])
      return database.transaction(async (tx) => {
        await requireUnguarded(tx, organizationId, principal, { personId })
        const [, person] = await keepOwner(tx, organizationId, principal, () => remove(tx))
        if (!person) throw notFound('person')
        const { region, groups } = person
        const handles = person.handles.map(({ type, value }) => ({ type, value }))
        const hashes = handles.flatMap(({ type, value }) => handleHashes.allOf(organizationId, type, value))
        await tx.last(() =>
          Promise.all([
            forgetHandles(tx, organizationId, personId, hashes),
            record(tx, organizationId, { target: { type: 'person', id: personId }, before: person }),
            publish(tx, organizationId, [
              { name: 'PersonDeleted_v1', content: { person_id: personId, region, handles, groups } },
            ]),
          ]),
        )
      })
    },
  })
