import type { Process } from '@signet/management'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExportCsv } from '../calls/export-csv.tsx'
import { Badge } from '../design/badge.tsx'
import { List } from '../design/list.tsx'
import { Page, Panel } from '../design/page.tsx'
import { useOffsetPage } from '../design/pages.tsx'
import type { Column } from '../design/table.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { OrganizationsTabs } from './organizations-tabs.tsx'

const refreshMs = 15_000

export function Component() {
  const page = useOffsetPage()
  const query = useQuery({
    queryKey: ['listProcesses', page],
    queryFn: ({ signal }) => signet.listProcesses({ query: page, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })
  return (
    <Page
      title="Processes"
      lead="Every Signet on this database. One that ended without saying so is listed as lost for an hour."
    >
      <OrganizationsTabs />
      <Panel flush>
        <List
          query={query}
          actions={<ExportCsv name="processes" path="/processes" />}
          caption="Processes"
          columns={columns}
          keyOf={({ id }) => id}
        />
      </Panel>
    </Page>
  )
}

const columns: Column<Process>[] = [
  { head: 'Process', cell: ({ host, pid }) => `${host}, ${pid}` },
  { head: 'State', cell: ({ state }) => <Badge tone={state === 'alive' ? 'good' : 'bad'}>{state}</Badge> },
  { head: 'Region', cell: ({ region }) => region },
  { head: 'Roles', cell: ({ roles }) => roles.join(', ') },
  { head: 'In flight', align: 'end', cell: (process) => process.deliveries_in_flight.toLocaleString() },
  { head: 'Streams', align: 'end', cell: ({ event_streams }) => event_streams.toLocaleString() },
  { head: 'Version', minor: true, cell: ({ version }) => version },
  { head: 'Started', minor: true, cell: ({ started_at }) => <Ago at={started_at} /> },
  { head: 'Seen', cell: ({ seen_at }) => <Ago at={seen_at} /> },
]
