import type { Resource } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { CreateLink } from '../calls/lacking.tsx'
import { Copyable } from '../design/copy.tsx'
import { List } from '../design/list.tsx'
import { Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import { Empty } from '../design/state.tsx'
import type { Column } from '../design/table.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { resourcePath } from './paths.ts'
import { Section } from './section.tsx'

export function Component() {
  const query = useOffsetPage()
  const resources = useQuery({
    queryKey: ['listResources', query],
    queryFn: ({ signal }) => signet.listResources({ query, signal }),
    placeholderData: keepPreviousData,
  })
  return (
    <Section
      lead="APIs of the organization, for which applications get access tokens."
      actions={
        <CreateLink to="/sign-in/resources/new" scope="resources:write">
          Register resource
        </CreateLink>
      }
    >
      <Panel flush>
        <List
          query={resources}
          actions={<ExportCsv name="resources" path="/organizations/resources" />}
          caption="Resources"
          columns={columns}
          empty={none}
          keyOf={({ id }) => id}
          linkOf={({ id }) => resourcePath(id)}
        />
      </Panel>
    </Section>
  )
}

const columns: Column<Resource>[] = [
  { head: 'Name', cell: ({ name }) => <ShortText>{name}</ShortText> },
  { head: 'Identifier', cell: ({ identifier }) => <Copyable text={identifier} of="identifier" /> },
  { head: 'Scopes', cell: ({ scopes }) => <ShortText>{scopes.join(' ')}</ShortText>, minor: true },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
]

const none = (
  <Empty title="There are no resources yet." icon="sign-in">
    Register the API that your applications call. They name its identifier as “resource”, and get access tokens that it
    can check.
  </Empty>
)
