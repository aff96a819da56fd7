import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { Page, Panel } from '../design/page.tsx'
import { CursorPages, pageSize, useCursor } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { useSearchParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { eventQuery } from './event-query.ts'
import { eventFilters } from './event-words.ts'
import styles from './events-page.module.css'
import { EventsTable } from './events-table.tsx'

const filterNames = ['since', 'event_name', 'event_id'] as const

export function Component() {
  const { event_id } = useFilters(filterNames)
  return (
    <Page
      title="Events"
      lead="What happened, in the order in which it was published, the oldest first. Where no time is given, it begins 24 hours ago."
    >
      <Panel flush>
        <Filters names={filterNames}>
          <TextFilter name="since" label="From" type="datetime-local" />
          <SelectFilter name="event_name" label="Event" options={eventFilters} />
          <TextFilter name="event_id" label="Event ID" placeholder="01a21446-…" width="wide" />
          <Beginnings />
        </Filters>
        {event_id ? <EventById id={event_id} /> : <Feed />}
      </Panel>
    </Page>
  )
}

const hourMs = 3_600_000
const beginnings = [
  ['Last hour', hourMs],
  ['Last 24 hours', 24 * hourMs],
  ['Last 7 days', 7 * 24 * hourMs],
] as const

/** The times at which one usually begins. */
function Beginnings() {
  const [, setAddress] = useSearchParams()
  const begin = (ms: number) =>
    setAddress((address) => {
      const { event_name } = Object.fromEntries(address)
      return { since: new Date(Date.now() - ms).toISOString(), ...(event_name && { event_name }) }
    })
  return (
    <fieldset className={styles.beginnings}>
      <legend className="visually-hidden">Begin with</legend>
      {beginnings.map(([name, ms]) => (
        <Button key={name} size="small" tone="quiet" onClick={() => begin(ms)}>
          {name}
        </Button>
      ))}
    </fieldset>
  )
}

/** A page of the feed, which goes from the oldest to the newest. */
function Feed() {
  const { event_name, since } = useFilters(filterNames)
  const [dayAgo] = useState(() => new Date(Date.now() - 24 * hourMs).toISOString())
  const after = useCursor()
  const query = {
    limit: pageSize,
    ...(event_name && { event_name }),
    ...(after ? { after } : { since: since ?? dayAgo }),
  }
  const page = useQuery({
    queryKey: ['listEvents', query],
    queryFn: ({ signal }) => signet.listEvents({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={page} lines={8}>
      {({ result, meta }) => (
        <>
          <EventsTable caption="Events" events={result} empty={<NoEvents hasMore={meta.has_more} />} />
          <CursorPages
            next={meta.has_more ? meta.next : undefined}
            words={{ first: 'From the beginning', next: 'Later' }}
          />
          {!meta.has_more && <End refresh={page.refetch} isBusy={page.isFetching} />}
        </>
      )}
    </Loaded>
  )
}

/** A page of a feed with a filter may be empty, and the feed goes on all the same. */
function NoEvents({ hasMore }: { hasMore: boolean }) {
  if (hasMore)
    return <Empty title="No such event in this part of the feed.">There are later ones to look through.</Empty>
  return (
    <Empty title="Nothing happened from then on." icon="events">
      Begin earlier, or with another filter. Events are kept for as long as the operator has set, usually 30 days.
    </Empty>
  )
}

const End = ({ refresh, isBusy }: { refresh: () => unknown; isBusy: boolean }) => (
  <p className={styles.end}>
    This is the end of the feed for now.
    <Button size="small" tone="quiet" icon="refresh" busy={isBusy} onClick={refresh}>
      Look again
    </Button>
  </p>
)

function EventById({ id }: { id: string }) {
  const event = useQuery(eventQuery(id))
  return (
    <Loaded query={event} lines={1}>
      {(found) => <EventsTable caption="The event with this ID" events={[found]} empty={null} />}
    </Loaded>
  )
}
