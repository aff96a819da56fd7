import type { Publish } from '../../../delivery/events/index.ts'
import type { Transaction } from '../../../ground/database/database.ts'
import type { Change } from '../../../ground/http/chain/recorded-change.ts'
import { groupEvents, type Member } from '../../persons/groups/index.ts'
import type { ScimCall } from '../http/scim-route.ts'
import type { Exchanged } from './exchange.ts'

/** Events in one statement: some 600 kB. */
const maxEvents = 1_000
/** Members in an entry of the audit log, which has their number as well. */
const maxListed = 100

export type Told = { name: string; exchanged: Exchanged; before?: object; after?: object }

/**
 * Writes a change to the audit log, and publishes an event for each person who joined or left: many in pieces, all in the transaction of the
 * change. They are the last statements of the transaction.
 */
export async function tell(tx: Transaction, call: ScimCall, publish: Publish, told: Told) {
  const { organizationId, caller, record } = call
  const { name, exchanged } = told
  const pieces = piecesOf([
    ...exchanged.joined.map((person) => ({ person, before: [], after: [name] })),
    ...exchanged.left.map((person) => ({ person, before: [name], after: [] })),
  ])
  const eventsOf = (piece: Moved[]) => piece.flatMap(({ person, ...sides }) => groupEvents(caller, person, sides))
  const last = pieces.pop()
  for (const piece of pieces) await publish(tx, organizationId, eventsOf(piece))
  await tx.last(() =>
    Promise.all([record(tx, organizationId, toChange(told)), last && publish(tx, organizationId, eventsOf(last))]),
  )
}

type Moved = { person: Member; before: string[]; after: string[] }

const piecesOf = (moved: Moved[]): Moved[][] =>
  Array.from({ length: Math.ceil(moved.length / maxEvents) }, (_, index) =>
    moved.slice(index * maxEvents, (index + 1) * maxEvents),
  )

const toChange = ({ name, before, after, exchanged: { joined, left } }: Told): Change => ({
  target: { type: 'group', id: name },
  before: before && { ...before, ...listed(left) },
  after: after && { ...after, ...listed(joined) },
})

const listed = (persons: Member[]) => ({
  ...(persons.length > 0 && { persons: persons.slice(0, maxListed).map(({ id }) => id) }),
  ...(persons.length > maxListed && { persons_count: persons.length }),
})
