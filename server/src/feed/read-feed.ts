import { Type } from 'typebox'
import { chooseMediaType } from '../http/accept.ts'
import { operation } from '../http/operation.ts'
import { rule } from '../http/schemas.ts'
import { AnyEvent } from './any-event.ts'
import type { Feed } from './feed.ts'
import { mediaTypes, writePage } from './formats.ts'
import { namesOf } from './names.ts'

const Pattern = Type.String({
  maxLength: 200,
  ...rule('must be the name of an event, or the beginning of names with * at its end'),
  examples: ['Person*'],
})

export const readFeed = ({ feed }: { feed: Feed }) =>
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    access: 'key',
    scope: 'events:read',
    tag: 'Events',
    summary: 'Read the feed of events',
    description:
      'All events of the organization, the oldest first, as webhooks get them. No event comes before one that its change could ' +
      'have read, and none is left out that is committed late. `meta.next` is always there: keep it, and ask with it as `after` ' +
      'for what comes later. While `meta.has_more` is true there is more already. With `event_name` a page may have fewer ' +
      'events than `limit`, or none, and `meta.has_more` all the same. As `application/x-protobuf` each message follows its length as a varint; `EventTemplate` reads the ' +
      'name of any of them, and the headers `Service-Feed-Next` and `Service-Feed-Has-More` have what `meta` has.',
    query: Type.Object({
      event_name: Type.Optional(
        Type.Union([Pattern, Type.Array(Pattern, { maxItems: 50 })], {
          description: 'Only events of this name; may end in `*`, and may be repeated. Absent: all events.',
          ...rule('must be the name of an event, or the beginning of names with * at its end, at most 50 times'),
        }),
      ),
    }),
    status: 200,
    result: AnyEvent,
    paged: 'feed',
    otherMediaTypes: { 'application/x-protobuf': 'Messages of the contract, each after its length as a varint.' },
    refusals: [406, 410],
    handle: async ({ organizationId, query: { after, event_name, limit }, accept }) => {
      const type = chooseMediaType(accept, mediaTypes)
      const names = namesOf(event_name)
      const place = after === undefined ? undefined : await feed.placeOf(organizationId, after)
      const { events, next, hasMore } = await feed.readPage(organizationId, { after: place, names, limit })
      return writePage(type, events, { next: await feed.cursorOf(next), hasMore })
    },
  })
