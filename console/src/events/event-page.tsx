import type { AnyEvent } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { Badge } from '../design/badge.tsx'
import { Json } from '../design/code.tsx'
import { Page, Panel, Row } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { signet } from '../service/signet.ts'
import { EventDeliveries } from './event-deliveries.tsx'
import { EventProperties } from './event-properties.tsx'

export function Component() {
  const { id = '' } = useParams()
  const event = useQuery({
    queryKey: ['getEvent', id],
    queryFn: ({ signal }) => signet.getEvent({ path: { event_id: id }, signal }),
    // An event never changes.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const title = event.data?.result.event_metadata.event_name ?? 'Event'
  return (
    <Page
      title={title}
      heading={event.data && <Heading event={event.data.result} />}
      parent={{ to: '/events', name: 'Events' }}
    >
      <Loaded query={event} lines={10}>
        {({ result }) => (
          <>
            <Panel title="In words">
              <EventProperties event={result} />
            </Panel>
            <EventDeliveries eventId={id} />
            <Panel title="Content">
              <Json value={result} label="As webhooks and the feed have it" />
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
