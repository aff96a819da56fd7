/**
 * The feed: the events of an organization in the order of their positions, for readers that come back with a cursor.
 *
 * Owns: GET /events, also as an event stream, GET /events/{event_id}, and GET /organizations/events with the newest first; who waits for
 * more, and how processes tell each other.
 * Leaves to `events` the table of events and what retention has dropped of it, and to `positions` their order and the cursors.
 */
import type { Database } from '../../ground/database/database.ts'
import type { Positions } from '../../ground/positions/index.ts'
import type { Feed } from './feed.ts'
import type { Follow } from './follow.ts'
import { getEvent } from './get-event.ts'
import { listNewestEvents } from './list-newest-events.ts'
import { readFeed } from './read-feed.ts'

export { createAnnouncements } from './announcements.ts'
export { createFeed, type Feed, inTurns } from './feed.ts'
export { createFollow, type Follow, type Followed } from './follow.ts'
export { createFollowers } from './followers.ts'
export { EventNames, namesOf } from './names.ts'
export { createNewest, eventsPerLook, maxLooks } from './newest.ts'
export type { Walk } from './newest-store.ts'
export type { FollowedEvent } from './shared-pages.ts'
export { startOf, throwFor } from './stream-events.ts'

export const feedOperations = (dependencies: {
  database: Database
  positions: Positions
  feed: Feed
  liveFeed: Feed
  follow: Follow
}) => [readFeed(dependencies), getEvent(dependencies), listNewestEvents(dependencies)]
