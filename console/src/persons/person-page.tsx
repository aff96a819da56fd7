import type { Person } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Badge } from '../design/badge.tsx'
import { Copyable } from '../design/copy.tsx'
import { Page, Panel, Row } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded, Notice } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { Link, useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useConsoleAccess, useGuard } from '../session/console-access.ts'
import { roleNames, rolesOf } from '../session/roles.ts'
import { type Keeper, KeeperLink, useKeeper } from '../sign-in/keeper.tsx'
import { PersonActions } from './person-actions.tsx'
import { PersonChanges } from './person-changes.tsx'
import { PersonEvents } from './person-events.tsx'
import { PersonGroups } from './person-groups.tsx'
import { PersonHandles } from './person-handles.tsx'
import { PersonIdentities } from './person-identities.tsx'
import { nameOf } from './person-name.tsx'
import { PersonSessions } from './person-sessions.tsx'
import { PersonSignIns } from './person-sign-ins.tsx'

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
  const guard = useGuard(person?.groups ?? [])
  const keeper = useKeeper({ person_id: id })
  return (
    <Page
      title={person ? nameOf(person) : 'Person'}
      heading={person && <Heading person={person} />}
      parent={{ to: '/persons', name: 'Persons' }}
      actions={
        person && (
          <>
            <ChangesLink target={person.person_id} />
            {!guard && <PersonActions person={person} keeper={keeper} />}
          </>
        )
      }
    >
      <Loaded query={query} lines={10}>
        {({ result }) => (
          <>
            {guard && <Notice>{guard} They may not be deactivated or deleted either.</Notice>}
            <About person={result} keeper={keeper} />
            <PersonSignIns personId={result.person_id} />
            <PersonSessions personId={result.person_id} guard={guard} />
            <PersonEvents personId={result.person_id} />
            <PersonChanges personId={result.person_id} />
            <PersonHandles person={result} guard={guard} />
            <PersonGroups person={result} keeper={keeper} />
            <PersonIdentities personId={result.person_id} guard={guard} />
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

function About({ person, keeper }: { person: Person; keeper: Keeper | undefined }) {
  const access = useConsoleAccess()
  const roles = rolesOf(access, person.groups).map((role) => roleNames[role])
  return (
    <Panel>
      <Properties
        items={[
          ['Person ID', <Copyable key="id" text={person.person_id} of="person ID" />],
          ['Sign-in', person.active ? 'Active: may sign in.' : 'Not active: cannot sign in.'],
          ['Kept by the directory', keeper && <KeeperLink key="keeper" keeper={keeper} />],
          [
            'Role at this console',
            roles.length > 0 && (
              <Link key="console" to="/settings/administrators">
                {roles.join(', ')}
              </Link>
            ),
          ],
          ['Region', person.region],
          ['Created', <Time key="created" at={person.created_at} />],
        ]}
      />
    </Panel>
  )
}
