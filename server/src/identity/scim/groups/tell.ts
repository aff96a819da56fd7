import { type Publish, publishMany } from '../../../delivery/events/index.ts'
import type { Transaction } from '../../../ground/database/database.ts'
import type { Change } from '../../../ground/http/chain/recorded-change.ts'
import { groupEvents, type Member } from '../../persons/groups/index.ts'
import type { ScimCall } from '../http/scim-route.ts'
import type { Exchanged } from './exchange.ts'

/** Members in an entry of the audit log, which has their number as well. */
const maxListed = 100

export type Told = { name: string; exchanged: Exchanged; before?: object; after?: object }

/** Writes a change to the audit log, and publishes an event for each person who joined or left: the last statements of the transaction. */
export async function tell(tx: Transaction, call: ScimCall, publish: Publish, told: Told) {
  const { organizationId, caller, record } = call
  const { name, exchanged } = told
  await publishMany(publish, tx, organizationId, {
    changes: [
      ...exchanged.joined.map((person) => ({ person, before: [], after: [name] })),
      ...exchanged.left.map((person) => ({ person, before: [name], after: [] })),
    ],
    eventsOf: ({ person, ...sides }) => groupEvents(caller, person, sides),
    record: () => record(tx, organizationId, toChange(told)),
  })
}

const toChange = ({ name, before, after, exchanged: { joined, left } }: Told): Change => ({
  target: { type: 'group', id: name },
  before: before && { ...before, ...listed(left) },
  after: after && { ...after, ...listed(joined) },
})

const listed = (persons: Member[]) => ({
  ...(persons.length > 0 && { persons: persons.slice(0, maxListed).map(({ id }) => id) }),
  ...(persons.length > maxListed && { persons_count: persons.length }),
})
