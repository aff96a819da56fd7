/**
 * The feed: the events of an organization in the order of their places, for readers that come back with a cursor.
 *
 * Owns: GET /events and GET /events/{event_id}.
 * Leaves to `events` the table of events and what retention has dropped of it, and to `places` their order and the cursors.
 */
import type { Database } from '../database/database.ts'
import type { Feed } from './feed.ts'
import { getEvent } from './get-event.ts'
import { readFeed } from './read-feed.ts'

export { createFeed, type Feed } from './feed.ts'

export const feedOperations = (dependencies: { database: Database; feed: Feed }) => [
  readFeed(dependencies),
  getEvent(dependencies),
]
