import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { fragment } from '../../ground/database/sql.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import type { Positions } from '../../ground/positions/index.ts'
import { type EventName, eventNames } from '../events/index.ts'
import { AnyEvent } from './any-event.ts'
import { EventNames, namesOf } from './names.ts'
import { createNewest, eventsPerLook, maxLooks } from './newest.ts'

const query = Type.Object({
  event_name: Type.Optional(EventNames),
  person_id: Type.Optional({
    ...Uuid,
    description:
      'Only what is about this person, who may have been deleted since: every event that names them, without test events.',
  }),
  since: Type.Optional({ ...Timestamp, description: 'Only those that were published at this moment or later.' }),
  until: Type.Optional({ ...Timestamp, description: 'Only those that were published before this moment.' }),
})

export const listNewestEvents = (dependencies: { database: Database; positions: Positions }) => {
  const newest = createNewest(dependencies, 'events, the newest first')
  return operation({
    id: 'listNewestEvents',
    method: 'GET',
    path: '/organizations/events',
    scope: 'events:read',
    tag: 'Events',
    summary: 'List the newest events',
    description:
      'The newest first; whoever follows events reads the feed. What stands after an event that was shown once stays so. A page ends at ' +
      `2 MiB. With \`event_name\` and without \`person_id\` it looks at ${eventsPerLook * maxLooks} events at most, so it may have ` +
      'fewer than `limit`, or none, and `meta.next` all the same: go on until it is absent. Events that were published before Signet kept ' +
      'whom they are about are not found by `person_id`.',
    query,
    refusals: [410],
    result: AnyEvent,
    paged: 'cursor',
    handle: async ({ organizationId, query: { event_name, person_id, ...page } }) => {
      const wanted = wantedOf(namesOf(event_name), person_id?.toLowerCase())
      const search = { since: undefined, until: undefined, after: undefined, ...page, ...wanted, columns: fragment`` }
      const { rows, next } = await newest.read(organizationId, search)
      return { items: rows.map(({ payload }) => JSON.parse(payload)), next }
    },
  })
}

function wantedOf(names: EventName[] | undefined, personId: string | undefined) {
  if (personId === undefined) return { walk: undefined, matching: names && fragment`and name = any(${names}::text[])` }
  const walk = { equal: fragment`and person_id = ${personId}`, column: fragment`name`, values: names ?? eventNames }
  return { walk, matching: undefined }
}
