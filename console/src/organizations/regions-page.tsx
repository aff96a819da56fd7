import type { Region } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Badge, type Tone } from '../design/badge.tsx'
import { Page, Panel } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Soft } from '../design/text.tsx'
import { duration } from '../design/time.tsx'
import { signet } from '../service/signet.ts'
import { OrganizationsTabs } from './organizations-tabs.tsx'

const refreshMs = 5_000

export function Component() {
  const query = useQuery({
    queryKey: ['listRegions'],
    queryFn: ({ signal }) => signet.listRegions({ signal }),
    refetchInterval: refreshMs,
  })
  return (
    <Page
      title="Regions"
      lead="A request for all regions waits until each of them has the change. A missing one makes it wait until its deadline."
    >
      <OrganizationsTabs />
      <Panel flush>
        <Loaded query={query}>
          {({ result }) => <Table caption="Regions" columns={columns} items={result} keyOf={({ name }) => name} />}
        </Loaded>
      </Panel>
    </Page>
  )
}

const tones: Record<Region['state'], Tone> = { primary: 'accent', streaming: 'good', missing: 'bad' }
const columns: Column<Region>[] = [
  { head: 'Region', cell: ({ name, is_local }) => (is_local ? `${name} (this one)` : name) },
  { head: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
  {
    head: 'Lag',
    align: 'end',
    cell: ({ replay_lag_seconds: lag }) => (lag === null ? <None /> : duration(lag * 1_000)),
  },
  { head: 'Bytes behind', align: 'end', cell: ({ replay_lag_bytes: lag }) => lag?.toLocaleString() ?? <None /> },
]

const None = () => <Soft>–</Soft>
