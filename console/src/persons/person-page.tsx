import type { Person } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Badge } from '../design/badge.tsx'
import { Copyable } from '../design/copy.tsx'
import { Page, Panel, Row } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonGroups } from './person-groups.tsx'
import { PersonHandles } from './person-handles.tsx'
import { PersonIdentities } from './person-identities.tsx'
import { nameOf } from './person-name.tsx'
import { PersonSessions } from './person-sessions.tsx'

export function Component() {
  const { id = '' } = useParams()
  return <PersonPage key={id} id={id} />
}

/** Each person has a page of its own: what was typed for one is never sent for another. */
function PersonPage({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['getPerson', id],
    queryFn: ({ signal }) => signet.getPerson({ path: { person_id: id }, signal }),
  })
  const person = query.data?.result
  return (
    <Page
      title={person ? nameOf(person) : 'Person'}
      heading={person && <Heading person={person} />}
      parent={{ to: '/persons', name: 'Persons' }}
      actions={
        person && (
          <>
            <ChangesLink target={person.person_id} />
            <PersonActions person={person} />
          </>
        )
      }
    >
      <Loaded query={query} lines={10}>
        {({ result }) => (
          <>
            <About person={result} />
            <PersonHandles person={result} />
            <PersonGroups person={result} />
            <PersonIdentities personId={result.person_id} />
            <PersonSessions personId={result.person_id} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Heading = ({ person }: { person: Person }) => (
  <Row>
    <ShortText>{nameOf(person)}</ShortText>
    {!person.active && <Badge tone="warn">not active</Badge>}
  </Row>
)

const About = ({ person }: { person: Person }) => (
  <Panel>
    <Properties
      items={[
        ['Person ID', <Copyable key="id" text={person.person_id} of="person ID" />],
        ['Sign-in', person.active ? 'Active: may sign in.' : 'Not active: cannot sign in.'],
        ['Region', person.region],
        ['Created', <Time key="created" at={person.created_at} />],
      ]}
    />
  </Panel>
)
