import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { idInPath } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { AnyEvent } from './any-event.ts'
import { findEvent } from './feed-store.ts'
import { protobufType, writeEvent } from './formats.ts'

export const getEvent = ({ database }: { database: Database }) =>
  operation({
    id: 'getEvent',
    method: 'GET',
    path: '/events/:event_id',
    scope: 'events:read',
    tag: 'Events',
    summary: 'Get an event',
    description: 'The event as webhooks get it, as long as it is kept.',
    params: Type.Object({ event_id: idInPath('The id of the event.') }),
    result: AnyEvent,
    otherMediaTypes: { [protobufType]: 'A message of the contract.' },
    refusals: [406],
    handle: async ({ organizationId, params: { event_id: eventId }, mediaType }) => {
      const event = isUuid(eventId) ? await findEvent(database.read, organizationId, eventId) : undefined
      if (!event) throw notFound('event')
      return writeEvent(mediaType, event)
    },
  })
