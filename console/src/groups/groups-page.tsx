import type { ListedGroup } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { countUpTo } from '../design/count.ts'
import { Filters, TextFilter, useFilters } from '../design/filters.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { groupPath } from '../persons/group-path.ts'
import { signet } from '../service/signet.ts'
import { useConsoleAccess } from '../session/console-access.ts'
import { type ConsoleAccess, roleNames, rolesOf } from '../session/roles.ts'

const filterNames = ['name'] as const

export function Component() {
  const query = { ...useOffsetPage(), ...useFilters(filterNames) }
  const access = useConsoleAccess()
  const groups = useQuery({
    queryKey: ['listGroupRecords', query],
    queryFn: ({ signal }) => signet.listGroupRecords({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Groups"
      lead="Named sets of persons. The groups of a person are in the tokens that applications get."
      actions={create}
    >
      <Panel flush>
        <Filters names={filterNames}>
          <TextFilter name="name" label="Name begins with" width="wide" />
        </Filters>
        <List
          query={groups}
          actions={<ExportCsv name="groups" path="/organizations/groups" query={query} />}
          caption="Groups"
          columns={access.length > 0 ? [...columns, consoleColumn(access)] : columns}
          keyOf={({ name }) => name}
          linkOf={({ name }) => groupPath(name)}
          empty={<NoGroups />}
        />
      </Panel>
    </Page>
  )
}

const columns: Column<ListedGroup>[] = [
  { head: 'Name', cell: ({ name }) => <ShortText>{name}</ShortText> },
  { head: 'Description', cell: ({ description }) => description && describe(description) },
  { head: 'Members', cell: ({ members_count }) => countUpTo(members_count, maxCounted), align: 'end' },
]

/** The service counts the members of a group so far in a list. */
const maxCounted = 1_000

/** As what members of the group may enter the console; of most groups they may not. */
const consoleColumn = (access: ConsoleAccess): Column<ListedGroup> => ({
  head: 'Role at the console',
  cell: ({ name }) => rolesOf(access, [name]).map((role) => roleNames[role]),
})

const describe = (text: string) => (
  <Soft>
    <ShortText>{text}</ShortText>
  </Soft>
)

const create = (
  <CreateLink to="/groups/new" scope="groups:write">
    Create group
  </CreateLink>
)

function NoGroups() {
  const { name } = useFilters(filterNames)
  if (name)
    return (
      <Empty title="No group has such a name." icon="search">
        Names are case-sensitive, and are found by their beginning.
      </Empty>
    )
  return (
    <Empty title="There are no groups yet." icon="groups" action={create}>
      A group is made before persons can be in it.
    </Empty>
  )
}
