import { Type } from 'typebox'
import { operation } from '../../ground/http/chain/operation.ts'
import { Timestamp } from '../../ground/http/chain/schemas.ts'
import { AnyEvent } from './any-event.ts'
import type { Feed } from './feed.ts'
import type { Follow } from './follow.ts'
import { protobufType, writePage } from './formats.ts'
import { EventNames, namesOf } from './names.ts'
import { startOf, streamEvents } from './stream-events.ts'

const FeedQuery = Type.Object({
  event_name: Type.Optional(EventNames),
  since: Type.Optional({
    ...Timestamp,
    description:
      'Begins with the first event that was published at this time or later; where there is none, with what comes next. ' +
      'Not together with `after`.',
  }),
})

/** `liveFeed`: for streams. */
type Feeds = { feed: Feed; liveFeed: Feed; follow: Follow }

/** Payload of one page: an event may have 100 kB. */
const maxPageBytes = 2_097_152

export const readFeed = ({ feed, liveFeed, follow }: Feeds) =>
  operation({
    id: 'listEvents',
    method: 'GET',
    path: '/events',
    scope: 'events:read',
    tag: 'Events',
    summary: 'Read the feed of events',
    description:
      'All events of the organization, the oldest first, as webhooks get them. No event comes before one that its change could ' +
      'have read, and none is left out that is committed late. `meta.next` is always there: keep it, and ask with it as `after` ' +
      'for what comes later. While `meta.has_more` is true there is more already. A page may have fewer events than ' +
      '`limit` and `meta.has_more` all the same: it ends at 2 MiB, and with `event_name` it may be empty. As `application/x-protobuf` each message follows its length as a varint; `EventTemplate` reads the ' +
      'name of any of them, and the headers `Service-Feed-Next` and `Service-Feed-Has-More` have what `meta` has. ' +
      'As `text/event-stream` it is live: the events that are there, and then those that come. `id` is the cursor, `event` the ' +
      'name and `data` the event; `limit` has no meaning.',
    query: FeedQuery,
    result: AnyEvent,
    paged: 'feed',
    otherMediaTypes: { [protobufType]: 'Messages of the contract, each after its length as a varint.' },
    eventStream: 'optional',
    refusals: [406, 410],
    handle: async ({ organizationId, query: { event_name, limit, ...begin }, mediaType, live }) => {
      const names = namesOf(event_name)
      if (live) return streamEvents(organizationId, { ...begin, names, live }, { feed: liveFeed, follow })
      const position = await startOf(feed, organizationId, begin)
      const { events, next, hasMore } = await feed.readPage(organizationId, {
        after: position,
        names,
        limit,
        bytes: maxPageBytes,
      })
      return writePage(mediaType, events, { next: await feed.cursorOf(next), hasMore })
    },
  })
