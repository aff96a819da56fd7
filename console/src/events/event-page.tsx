import type { AnyEvent } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../design/badge.tsx'
import { Json } from '../design/code.tsx'
import { Page, Panel, Row } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { useParams } from '../router/index.ts'
import { EventDeliveries } from './event-deliveries.tsx'
import { EventProperties } from './event-properties.tsx'
import { eventQuery } from './event-query.ts'

export function Component() {
  const { id = '' } = useParams()
  const event = useQuery(eventQuery(id))
  const title = event.data?.event_metadata.event_name ?? 'Event'
  return (
    <Page
      title={title}
      heading={event.data && <Heading event={event.data} />}
      parent={{ to: '/events', name: 'Events' }}
    >
      <Loaded query={event} lines={10}>
        {(shown) => (
          <>
            <Panel title="In words">
              <EventProperties event={shown} />
            </Panel>
            <EventDeliveries eventId={id} />
            <Panel title="Content">
              <Json value={shown} label="As webhooks and the feed have it" />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Heading = ({ event: { event_metadata } }: { event: AnyEvent }) => (
  <Row>
    {event_metadata.event_name}
    {event_metadata.is_test_event && <Badge>test event</Badge>}
  </Row>
)
