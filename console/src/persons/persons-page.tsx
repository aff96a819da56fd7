import type { ListPersonsData, Person } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { Badge } from '../design/badge.tsx'
import { Filters, SelectFilter, TextFilter, useFilters } from '../design/filters.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { PersonName } from './person-name.tsx'

type Search = NonNullable<ListPersonsData['query']>

const filterNames = ['handle', 'group', 'active'] as const

export function Component() {
  const { handle, group, active } = useFilters(filterNames)
  const query: Search = {
    ...useOffsetPage(),
    ...(group && { group }),
    ...(active && { active: active as 'true' | 'false' }),
    ...(handle && { handle_prefix: handle }),
  }
  const persons = useQuery({
    queryKey: ['listPersons', query],
    queryFn: ({ signal }) => signet.listPersons({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Persons"
      lead="Whom the organization knows, by their e-mail addresses and phone numbers. The newest come first."
      actions={create}
    >
      <Panel flush>
        <Filters names={filterNames}>
          <TextFilter name="handle" label="Handle begins with" placeholder="jo@exa or +1202" width="wide" />
          <TextFilter name="group" label="Group" />
          <SelectFilter name="active" label="Sign-in" options={activity} />
        </Filters>
        <List
          query={persons}
          actions={<ExportCsv name="persons" path="/persons" query={query} />}
          caption="Persons"
          columns={columns}
          keyOf={({ person_id }) => person_id}
          linkOf={({ person_id }) => `/persons/${person_id}`}
          empty={<NoPersons />}
        />
      </Panel>
    </Page>
  )
}

const activity = [
  ['true', 'Active'],
  ['false', 'Not active'],
] as const

const columns: Column<Person>[] = [
  { head: 'Person', cell: (person) => <PersonName person={person} /> },
  {
    head: 'State',
    cell: ({ active }) => (active ? <Badge tone="good">active</Badge> : <Badge tone="warn">not active</Badge>),
  },
  { head: 'Groups', cell: ({ groups }) => <FirstGroups groups={groups} /> },
  { head: 'Region', cell: ({ region }) => region, minor: true },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} />, minor: true },
]

const maxShown = 3

function FirstGroups({ groups }: { groups: readonly string[] }) {
  if (groups.length === 0) return <Soft>none</Soft>
  const more = groups.length - maxShown
  return (
    <>
      <ShortText>{groups.slice(0, maxShown).join(', ')}</ShortText>
      {more > 0 && <Soft> and {more.toLocaleString()} more</Soft>}
    </>
  )
}

const create = (
  <CreateLink to="/persons/new" scope="persons:write">
    Create person
  </CreateLink>
)

function NoPersons() {
  const isFiltered = Object.keys(useFilters(filterNames)).length > 0
  if (isFiltered) return <Empty title="Nobody fits these filters." icon="search" />
  return (
    <Empty title="There are no persons yet." icon="persons" action={create}>
      A person is created here, by the interface, or by a first sign-in where self-registration is on.
    </Empty>
  )
}
