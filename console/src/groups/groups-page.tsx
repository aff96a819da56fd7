import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CreateLink } from '../calls/lacking.tsx'
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
import { useGroup } from './group-queries.ts'

const filterNames = ['name'] as const

export function Component() {
  const query = { ...useOffsetPage(), ...useFilters(filterNames) }
  const access = useConsoleAccess()
  const groups = useQuery({
    queryKey: ['listGroups', query],
    queryFn: ({ signal }) => signet.listGroups({ query, signal }),
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
          caption="Groups"
          columns={access.length > 0 ? [...columns, consoleColumn(access)] : columns}
          keyOf={(name) => name}
          linkOf={groupPath}
          empty={<NoGroups />}
        />
      </Panel>
    </Page>
  )
}

/** The list has names alone; what else there is of the groups of one page is read for each. */
const columns: Column<string>[] = [
  { head: 'Name', cell: (name) => <ShortText>{name}</ShortText> },
  { head: 'Description', cell: (name) => <Description name={name} /> },
  { head: 'Members', cell: (name) => <MembersCount name={name} />, align: 'end' },
]

/** As what members of the group may enter the console; of most groups they may not. */
const consoleColumn = (access: ConsoleAccess): Column<string> => ({
  head: 'Role at the console',
  cell: (name) => rolesOf(access, [name]).map((role) => roleNames[role]),
})

function Description({ name }: { name: string }) {
  const description = useGroup(name).data?.result.description
  return (
    <Soft>
      <ShortText>{description ?? ''}</ShortText>
    </Soft>
  )
}

const MembersCount = ({ name }: { name: string }) => useGroup(name).data?.result.members_count.toLocaleString()

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
