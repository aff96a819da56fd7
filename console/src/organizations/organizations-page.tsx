import type { Organization } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Copyable } from '../design/copy.tsx'
import { Filters, TextFilter, useFilters } from '../design/filters.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { OrganizationsTabs } from './organizations-tabs.tsx'

const filters = ['name', 'id'] as const

export function Component() {
  const given = useFilters(filters)
  const question = { ...given, ...useOffsetPage() }
  const query = useQuery({
    queryKey: ['listOrganizations', question],
    queryFn: ({ signal }) => signet.listOrganizations({ query: question, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Organizations"
      lead="The tenants of this installation. Each has persons, keys and webhooks of its own."
      actions={
        <ButtonLink to="/organizations/new" tone="primary" icon="plus">
          Create organization
        </ButtonLink>
      }
    >
      <OrganizationsTabs />
      <Panel flush>
        <Filters names={filters}>
          <TextFilter name="name" label="Name begins with" width="wide" />
          <TextFilter name="id" label="ID" width="wide" />
        </Filters>
        <List
          query={query}
          actions={<ExportCsv name="organizations" path="/organizations" query={given} />}
          caption="Organizations"
          columns={columns}
          keyOf={keyOf}
          linkOf={linkOf}
          empty={<NoOrganization isFiltered={Object.keys(given).length > 0} />}
        />
      </Panel>
    </Page>
  )
}

const keyOf = ({ id }: Organization) => id
const linkOf = ({ id }: Organization) => `/organizations/${id}`
const columns: Column<Organization>[] = [
  { head: 'Name', cell: ({ name }) => <ShortText>{name}</ShortText> },
  { head: 'ID', cell: ({ id }) => <Copyable text={id} of="organization ID" /> },
  { head: 'Pricing tier', cell: ({ pricing_tier }) => pricing_tier },
  { head: 'Created', minor: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

const NoOrganization = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty
    title={isFiltered ? 'No organization fits these filters.' : 'There are no organizations yet.'}
    icon="organizations"
  />
)
