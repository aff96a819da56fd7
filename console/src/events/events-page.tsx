import type { ListNewestEventsData } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Button } from '../design/button.tsx'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { Page, Panel } from '../design/page.tsx'
import { CursorPages, useCursor, usePageSize } from '../design/pages.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { useSearchParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { eventQuery } from './event-query.ts'
import { eventFilters } from './event-words.ts'
import styles from './events-page.module.css'
import { EventsTable } from './events-table.tsx'

type Query = NonNullable<ListNewestEventsData['query']>

const filterNames = ['event_name', 'person_id', 'since', 'until', 'event_id'] as const

export function Component() {
  const { event_id } = useFilters(filterNames)
  return (
    <Page title="Events" lead="What happened, the newest first. Home shows events as they are published.">
      <Panel flush>
        <Filters names={filterNames}>
          <SelectFilter name="event_name" label="Event" options={eventFilters} />
          <TextFilter name="person_id" label="Person ID" placeholder="01a21446-…" width="wide" />
          <TextFilter name="since" label="From" type="datetime-local" />
          <TextFilter name="until" label="Until" type="datetime-local" />
          <TextFilter name="event_id" label="Event ID" placeholder="01a21446-…" width="wide" />
          <Spans />
        </Filters>
        {event_id ? <EventById id={event_id} /> : <Newest />}
      </Panel>
    </Page>
  )
}

const hourMs = 3_600_000
const spans = [
  ['Last hour', hourMs],
  ['Last 24 hours', 24 * hourMs],
  ['Last 7 days', 7 * 24 * hourMs],
] as const

/** Those that one usually looks at, up to now. */
function Spans() {
  const [, setAddress] = useSearchParams()
  const begin = (ms: number) =>
    setAddress((address) => {
      const { event_name, person_id } = Object.fromEntries(address)
      return {
        since: new Date(Date.now() - ms).toISOString(),
        ...(event_name && { event_name }),
        ...(person_id && { person_id }),
      }
    })
  return (
    <fieldset className={styles.spans}>
      <legend className="visually-hidden">Span</legend>
      {spans.map(([name, ms]) => (
        <Button key={name} size="small" tone="quiet" onClick={() => begin(ms)}>
          {name}
        </Button>
      ))}
    </fieldset>
  )
}

function Newest() {
  const { event_id: _, ...filters } = useFilters(filterNames)
  const after = useCursor()
  const query = { ...filters, limit: usePageSize(), ...(after && { after }) } as Query
  const page = useQuery({
    queryKey: ['listNewestEvents', query],
    queryFn: ({ signal }) => signet.listNewestEvents({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={page} lines={8}>
      {({ result, meta }) => (
        <>
          <EventsTable caption="Events" events={result} empty={<NoEvents hasMore={meta.next !== undefined} />} />
          <CursorPages
            next={meta.next}
            isEmpty={result.length === 0}
            actions={<ExportCsv name="events" path="/organizations/events" query={filters} />}
          />
        </>
      )}
    </Loaded>
  )
}

/** Where few match, a page may be empty though there are older ones. */
function NoEvents({ hasMore }: { hasMore: boolean }) {
  const isFiltered = Object.keys(useFilters(filterNames)).length > 0
  if (hasMore) return <Empty title="None so far.">There are older ones to look through: go on with Older.</Empty>
  if (isFiltered)
    return (
      <Empty title="No event fits these filters." icon="search">
        Events are kept for as long as the operator has set, usually 30 days.
      </Empty>
    )
  return (
    <Empty title="Nothing has happened yet." icon="events">
      Sign-ins, changes of persons and loaded pages will be listed here.
    </Empty>
  )
}

function EventById({ id }: { id: string }) {
  const event = useQuery(eventQuery(id))
  return (
    <Loaded query={event} lines={1}>
      {(found) => <EventsTable caption="The event with this ID" events={[found]} empty={null} />}
    </Loaded>
  )
}
