import type { Application } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { Badge } from '../design/badge.tsx'
import { Copyable } from '../design/copy.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { applicationPath } from './paths.ts'
import { Section } from './section.tsx'

export function Component() {
  const query = useOffsetPage()
  const applications = useQuery({
    queryKey: ['listApplications', query],
    queryFn: ({ signal }) => signet.listApplications({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      lead="OpenID Connect clients to which the persons of the organization sign in."
      actions={
        <CreateLink to="/sign-in/applications/new" scope="applications:write">
          Register application
        </CreateLink>
      }
    >
      <Panel flush>
        <List
          query={applications}
          actions={<ExportCsv name="applications" path="/organizations/applications" />}
          caption="Applications"
          columns={columns}
          empty={none}
          keyOf={({ client_id }) => client_id}
          linkOf={({ client_id }) => applicationPath(client_id)}
        />
      </Panel>
    </Section>
  )
}

const columns: Column<Application>[] = [
  { head: 'Name', cell: ({ name }) => <ShortText>{name}</ShortText> },
  { head: 'Kind', cell: ({ confidential }) => <Badge>{confidential ? 'confidential' : 'public'}</Badge> },
  { head: 'Client ID', cell: ({ client_id }) => <Copyable text={client_id} of="client ID" /> },
  { head: 'Redirect URI', cell: ({ redirect_uris }) => <RedirectUris uris={redirect_uris} />, minor: true },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
]

const RedirectUris = ({ uris: [first = '', ...others] }: { uris: readonly string[] }) => (
  <>
    <ShortText>{first}</ShortText>
    {others.length > 0 && <Soft> and {others.length} more</Soft>}
  </>
)

const none = (
  <Empty title="There are no applications yet." icon="sign-in">
    Register the application that persons sign in to. You get its client ID, and ready code for its library.
  </Empty>
)
