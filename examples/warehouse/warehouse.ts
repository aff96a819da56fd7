// Copies the event feed of an organization into a SQLite file, each event once, and goes on with the events that come:
//   SIGNET_ORGANIZATION_ID=… SIGNET_API_KEY=… node examples/warehouse/warehouse.ts
// Another place: SIGNET_URL, WAREHOUSE. docs/use/event-feed-to-warehouse.md explains it.
import { DatabaseSync } from 'node:sqlite'
import { type AnyEvent, Signet, SignetError } from '@signet/management'

const { SIGNET_URL: baseUrl = 'http://localhost:8080', WAREHOUSE = 'warehouse.db' } = process.env
const { SIGNET_ORGANIZATION_ID: organizationId = '', SIGNET_API_KEY: apiKey = '' } = process.env
const signet = new Signet({ baseUrl, organizationId, apiKey })

const warehouse = new DatabaseSync(WAREHOUSE)
// Whoever reads the file does not wait for this program, nor it for them.
warehouse.exec(`
  pragma journal_mode = wal;
  create table if not exists events (event_id text primary key, name text, happened_at text, content text);
  create table if not exists feed_position (cursor text)`)
const addEvent = warehouse.prepare('insert into events values (?, ?, ?, ?) on conflict (event_id) do nothing')
const setCursor = warehouse.prepare('insert into feed_position values (?)')
const getCursor = warehouse.prepare('select cursor from feed_position')

/** In one transaction: after a crash both the events and the cursor are there, or neither is. */
function store(events: AnyEvent[], cursor: string) {
  warehouse.exec('begin immediate')
  for (const event of events) {
    const { event_id, event_name, timestamp } = event.event_metadata
    addEvent.run(event_id, event_name, timestamp, JSON.stringify(event))
  }
  warehouse.exec('delete from feed_position')
  setCursor.run(cursor)
  warehouse.exec('commit')
}

/** What is there comes in pages, a transaction for each; what happens from then on comes event by event. */
async function copy(after?: string) {
  for (let hasMore = true; hasMore; ) {
    const { result, meta } = await signet.listEvents({ query: { limit: 1000, ...(after && { after }) } })
    store(result, meta.next)
    after = meta.next
    hasMore = meta.has_more
  }
  console.log('Caught up')
  for await (const { cursor, event } of signet.followEvents({ after })) store([event], cursor)
}

try {
  await copy(getCursor.get()?.cursor as string | undefined)
} catch (error) {
  if (!(error instanceof SignetError && error.status === 410)) throw error
  console.error(`${error.message}. What this warehouse lacks, or has too much, the lists of persons and groups say.`)
  await copy()
}
