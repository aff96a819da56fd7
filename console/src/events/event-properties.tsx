import type { AnyEvent } from '@signet/management'
import type { ReactNode } from 'react'
import { Copyable } from '../design/copy.tsx'
import { Row } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { ShortText, Text } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { sayFailure } from '../outcomes/outcome-words.ts'
import { Link } from '../router/index.ts'
import { personOf, sourceOf } from './event-words.ts'

type Named = (readonly [string, ReactNode])[]

/** What an event says, field by field. What it does not have is left out. */
export const EventProperties = ({ event }: { event: AnyEvent }) => (
  <Properties items={[...metadataOf(event), ...whoOf(event), ...signInOf(event), ...callOf(event)]} />
)

function metadataOf(event: AnyEvent): Named {
  const { event_id, timestamp, is_test_event } = event.event_metadata
  return [
    ['Event ID', <Copyable key="id" text={event_id} of="event ID" />],
    ['Time', <Time key="time" at={timestamp} />],
    ['Source', sourceOf(event)],
    ['Test event', is_test_event && 'Yes: it was asked for, and tells of nothing that happened.'],
  ]
}

function whoOf(event: AnyEvent): Named {
  const personId = personOf(event)
  return [
    ['Person', personId && <PersonId id={personId} />],
    ['Region', 'region' in event && event.region],
    ['Handles', 'handles' in event && <Text>{event.handles.map(({ value }) => value).join(', ') || 'none'}</Text>],
    ['Groups', 'groups' in event && <Groups names={event.groups} />],
  ]
}

const PersonId = ({ id }: { id: string }) => (
  <Row>
    <Copyable text={id} of="person ID" />
    <Link to={`/persons/${encodeURIComponent(id)}`}>Open the person</Link>
  </Row>
)

function Groups({ names }: { names: readonly string[] }) {
  if (names.length === 0) return 'none'
  return (
    <Row>
      {names.map((name) => (
        <Link key={name} to={`/groups/${encodeURIComponent(name)}/members`}>
          <ShortText>{name}</ShortText>
        </Link>
      ))}
    </Row>
  )
}

const signInOf = (event: AnyEvent): Named => [
  ['Method', 'success_authn_method' in event && event.success_authn_method],
  ['Method that failed', 'failed_authn_method' in event && event.failed_authn_method],
  ['Why it failed', 'failure_reason' in event && sayFailure(event.failure_reason)],
  ['Failure code', 'failure_reason' in event && <Copyable text={event.failure_reason} of="failure code" />],
  ['Authenticated by', 'authenticated_methods' in event && event.authenticated_methods?.join(', ')],
]

/** The call that caused it; the deletion of a person does not say. */
function callOf(event: AnyEvent): Named {
  const call = 'analytics_metadata' in event ? event.analytics_metadata : undefined
  const browser = 'browser_metadata' in event ? event.browser_metadata : undefined
  return [
    ['Page', browser && <Text>{browser.window_location}</Text>],
    ['Browser', browser && <Text>{browser.user_agent}</Text>],
    ['Client address', call && <Text>{call.client_ip_address}</Text>],
    ['Correlation ID', call && <Copyable text={call.analytics_correlation_id} of="correlation ID" />],
  ]
}
