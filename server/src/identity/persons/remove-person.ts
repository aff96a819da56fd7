import { forgetHandles, type Publish } from '../../delivery/events/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import type { RecordChange } from '../../ground/http/chain/recorded-change.ts'
import type { EndSessions } from './change-person.ts'
import type { HandleHashes } from './handle-hash.ts'
import { deletePerson, findPerson, lockPerson, type Person } from './person-store.ts'

/** Gives the person as it was. */
export async function removePerson(
  tx: Transaction,
  organizationId: string,
  personId: string,
  endSessions: EndSessions,
): Promise<Person | undefined> {
  // Sent together: the lock guarantees that what is read is what is deleted.
  const [, person] = await Promise.all([
    lockPerson(tx, organizationId, personId),
    findPerson(tx, organizationId, personId),
    endSessions(tx, organizationId, personId),
    deletePerson(tx, organizationId, personId),
  ])
  return person
}

type Telling = { publish: Publish; handleHashes: HandleHashes; record: RecordChange }

/** The last statements of the transaction: nothing by which the person could be known stays, and whoever listens hears of it. */
export function tellRemoved(
  tx: Transaction,
  organizationId: string,
  person: Person,
  { publish, handleHashes, record }: Telling,
) {
  const { person_id, region, groups } = person
  const handles = person.handles.map(({ type, value }) => ({ type, value }))
  const hashes = handles.flatMap(({ type, value }) => handleHashes.allOf(organizationId, type, value))
  return tx.last(() =>
    Promise.all([
      forgetHandles(tx, organizationId, person_id, hashes),
      record(tx, organizationId, { target: { type: 'person', id: person_id }, before: person }),
      publish(tx, organizationId, [{ name: 'PersonDeleted_v1', content: { person_id, region, handles, groups } }]),
    ]),
  )
}
