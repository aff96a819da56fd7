import { useState } from 'react'
import { Badge } from '../design/badge.tsx'
import { Button } from '../design/button.tsx'
import { SelectFilter, useFilters } from '../design/filters.tsx'
import { Panel, Row } from '../design/page.tsx'
import { Empty, Failure } from '../design/state.tsx'
import { eventFilters } from '../events/event-words.ts'
import { EventsTable } from '../events/events-table.tsx'
import { Link } from '../router/index.ts'
import styles from './live-events.module.css'
import { type Connection, maxKept, useLiveEvents } from './use-live-events.ts'
import { useVisible } from './use-visible.ts'

/** The events that are published while one looks, the newest on top. */
export function LiveEvents() {
  const { event_name } = useFilters(['event_name'])
  return <LiveTail key={event_name ?? ''} eventName={event_name} />
}

function LiveTail({ eventName }: { eventName: string | undefined }) {
  const [pausedAt, setPausedAt] = useState<string>()
  const isVisible = useVisible()
  const { events, connection, error, retry } = useLiveEvents(eventName, isVisible && !pausedAt)
  return (
    <Panel
      title="Live events"
      description={`Events as they are published, from now on. The newest ${maxKept} are kept, as long as the page is open.`}
      actions={
        <Row>
          <State connection={connection} pausedAt={pausedAt} hasEnded={error !== undefined} />
          <PauseButton pausedAt={pausedAt} setPausedAt={setPausedAt} />
        </Row>
      }
      flush
    >
      <div className={styles.filter}>
        <SelectFilter name="event_name" label="Event" options={eventFilters} />
      </div>
      {pausedAt && <Missed since={pausedAt} />}
      {error !== undefined && <Failure error={error} retry={retry} />}
      <EventsTable caption="Live events" events={events} empty={<NoEvents />} />
    </Panel>
  )
}

type PauseButtonProps = { pausedAt: string | undefined; setPausedAt: (at: string | undefined) => void }

const PauseButton = ({ pausedAt, setPausedAt }: PauseButtonProps) => (
  <Button
    size="small"
    icon={pausedAt ? 'play' : 'pause'}
    onClick={() => setPausedAt(pausedAt ? undefined : new Date().toISOString())}
  >
    {pausedAt ? 'Resume' : 'Pause'}
  </Button>
)

const words = { opening: 'connecting', open: 'live', lost: 'connection lost, trying again' } as const
const tones = { opening: 'neutral', open: 'good', lost: 'bad' } as const

type StateProps = { connection: Connection; pausedAt: string | undefined; hasEnded: boolean }

function State({ connection, pausedAt, hasEnded }: StateProps) {
  return (
    <span role="status">
      {pausedAt ? (
        <Badge tone="warn">paused</Badge>
      ) : (
        !hasEnded && <Badge tone={tones[connection]}>{words[connection]}</Badge>
      )}
    </span>
  )
}

/** It goes on from the moment at which it is resumed. */
const Missed = ({ since }: { since: string }) => (
  <p className={styles.missed}>
    What is published meanwhile does not appear here:{' '}
    <Link to={`/events?since=${encodeURIComponent(since)}`}>look at the events since the pause</Link>.
  </p>
)

const NoEvents = () => (
  <Empty title="Nothing was published since the page was opened." icon="events">
    Events appear here by themselves.
  </Empty>
)
