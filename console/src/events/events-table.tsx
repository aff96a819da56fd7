import type { AnyEvent } from '@signet/management'
import type { ReactNode } from 'react'
import { Badge } from '../design/badge.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { personOf, summaryOf } from './event-words.ts'
import styles from './events-table.module.css'

type EventsTableProps = {
  caption: string
  events: readonly AnyEvent[]
  empty: ReactNode
  /** All are of one person, whose page it is. */
  isOfOne?: boolean
}

/** Events in the order in which they are given; each row leads to its event. */
export const EventsTable = ({ caption, events, empty, isOfOne = false }: EventsTableProps) => (
  <Table
    caption={caption}
    columns={isOfOne ? columns.filter(({ head }) => head !== 'Person') : columns}
    items={events}
    keyOf={({ event_metadata }) => event_metadata.event_id}
    linkOf={({ event_metadata }) => `/events/${event_metadata.event_id}`}
    empty={empty}
  />
)

const columns: Column<AnyEvent>[] = [
  {
    head: 'Event',
    whole: true,
    cell: ({ event_metadata: { event_name, is_test_event } }) => (
      <span className={styles.name}>
        {event_name}
        {is_test_event && <Badge>test</Badge>}
      </span>
    ),
  },
  {
    head: 'Summary',
    cell: (event) => (
      <Soft>
        <ShortText>{summaryOf(event)}</ShortText>
      </Soft>
    ),
  },
  { head: 'Person', cell: (event) => <PersonLink id={personOf(event)} />, minor: true },
  { head: 'Time', cell: ({ event_metadata }) => <Time at={event_metadata.timestamp} /> },
]

/** A person that an event names; it may have been deleted since. */
function PersonLink({ id }: { id: string | undefined }) {
  if (!id) return <Soft>not known</Soft>
  return (
    <Link to={`/persons/${encodeURIComponent(id)}`} className={styles.person}>
      <ShortText>{id}</ShortText>
    </Link>
  )
}
