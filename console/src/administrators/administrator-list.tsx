import type { ConsoleSession, Person } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../design/badge.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Failure } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { groupPath } from '../persons/group-path.ts'
import { PersonName } from '../persons/person-name.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { type ConsoleAccess, roleNames, rolesOf } from '../session/roles.ts'
import { useIsAdmin } from '../session/session.ts'
import { useAdministrators } from './administrators.ts'

const maxSessions = 100

/** Who may enter, by name. */
export function AdministratorList({ access }: { access: ConsoleAccess }) {
  const { data, error } = useAdministrators(access)
  const sessions = useSessions()
  const columns = [...columnsOf(access), ...(sessions ? [lastUsed(sessions)] : [])]
  return (
    <Panel title="Administrators" description="The members of these groups." flush>
      {error && <Failure error={error} />}
      {data && (
        <Table
          caption="Administrators"
          columns={columns}
          items={data.persons}
          keyOf={({ person_id }) => person_id}
          linkOf={({ person_id }) => `/persons/${person_id}`}
          empty={<Nobody hasAccess={access.length > 0} />}
        />
      )}
      {data && data.longer.length > 0 && <Longer longer={data.longer} />}
    </Panel>
  )
}

const columnsOf = (access: ConsoleAccess): Column<Person>[] => [
  {
    head: 'Person',
    cell: (person) => (
      <>
        <PersonName person={person} /> {!person.active && <Badge tone="warn">not active</Badge>}
      </>
    ),
  },
  {
    head: 'Role',
    cell: ({ groups }) =>
      rolesOf(access, groups)
        .map((role) => roleNames[role])
        .join(', '),
  },
  { head: 'By the group', cell: ({ groups }) => <ThroughGroups access={access} groups={groups} />, minor: true },
]

const ThroughGroups = ({ access, groups }: { access: ConsoleAccess; groups: readonly string[] }) =>
  access
    .filter(({ group }) => groups.includes(group))
    .map(({ group }, place) => (
      <span key={group}>
        {place > 0 && ', '}
        <Link to={groupPath(group)}>
          <ShortText>{group}</ShortText>
        </Link>
      </span>
    ))

const lastUsed = (sessions: readonly ConsoleSession[]): Column<Person> => ({
  head: 'In the console',
  cell: ({ person_id }) => {
    const own = sessions.filter(({ by }) => by.type === 'person' && by.id === person_id)
    const [last] = own
      .map(({ last_used_at }) => last_used_at)
      .sort()
      .reverse()
    return last ? <Ago at={last} /> : <Soft>not signed in</Soft>
  },
})

/** Undefined for those who do not see them. */
function useSessions(): ConsoleSession[] | undefined {
  const isAdmin = useIsAdmin()
  const { data } = useQuery({
    queryKey: ['listConsoleSessions', 'newest'],
    queryFn: ({ signal }) => signet.listConsoleSessions({ query: { limit: maxSessions }, signal }),
    enabled: isAdmin,
  })
  return data?.result
}

function Nobody({ hasAccess }: { hasAccess: boolean }) {
  return (
    <Empty title="Nobody yet." icon="persons">
      {hasAccess
        ? 'These groups have no members. Who opens an invitation becomes one.'
        : 'Let a group in above, and invite somebody to it.'}
    </Empty>
  )
}

function Longer({ longer }: { longer: { group: string; more: number }[] }) {
  return longer.map(({ group, more }) => (
    <p key={group}>
      <Link to={groupPath(group)}>
        {more.toLocaleString()} more in <ShortText>{group}</ShortText>
      </Link>
    </p>
  ))
}
