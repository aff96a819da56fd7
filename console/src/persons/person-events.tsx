import { useQuery } from '@tanstack/react-query'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { EventsTable } from '../events/events-table.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { shownOfStory } from './story.ts'

/** The newest events that name the person; each leads to its deliveries. */
export function PersonEvents({ personId }: { personId: string }) {
  const mayRead = useMay('events:read')
  const query = { person_id: personId, limit: shownOfStory }
  const events = useQuery({
    queryKey: ['listNewestEvents', query],
    queryFn: ({ signal }) => signet.listNewestEvents({ query, signal }),
    enabled: mayRead,
  })
  if (!mayRead) return null
  return (
    <Panel
      title="Events"
      description="Those that name the person, the newest first. Each has its deliveries to webhooks."
      actions={<Link to={`/events?person_id=${personId}`}>All events</Link>}
      flush
    >
      <Loaded query={events} lines={3}>
        {({ result }) => (
          <EventsTable
            caption="Events of this person"
            events={result}
            isOfOne
            empty={<Empty title="No events.">No event that is still kept names the person.</Empty>}
          />
        )}
      </Loaded>
    </Panel>
  )
}
