import type { Statistics } from '@signet/management'
import { useMemo } from 'react'
import { Badge } from '../design/badge.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Chart } from '../design/chart.tsx'
import { Columns, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Empty } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { providerName } from '../providers/providers.ts'
import { Link } from '../router/index.ts'
import { deliverySeries, eventSeries, type Outcome, outcomesOf, signInSeries } from './series.ts'

/** `each`: the time of one point, in words. */
type StatisticsProps = { statistics: Statistics; each: string }

export const StatisticsCharts = (props: StatisticsProps) => (
  <Columns>
    <Panel title="Events">
      <Events {...props} />
    </Panel>
    <Panel title="Deliveries" actions={slowest}>
      <Deliveries {...props} />
    </Panel>
    <Panel title="Sign-ins">
      <SignIns {...props} />
    </Panel>
    <Panel title="Sign-ins by outcome" description="Test events are not counted." flush>
      <Outcomes {...props} />
    </Panel>
  </Columns>
)

const slowest = (
  <ButtonLink to="/webhooks?sort=p95" size="small">
    Slowest receivers
  </ButtonLink>
)

function Events({ statistics, each }: StatisticsProps) {
  const data = useMemo(() => eventSeries(statistics), [statistics])
  return <Chart title={`Events per ${each}`} {...data} />
}

function SignIns({ statistics, each }: StatisticsProps) {
  const data = useMemo(() => signInSeries(statistics), [statistics])
  return <Chart title={`Sign-ins per ${each}`} {...data} />
}

const Outcomes = ({ statistics }: StatisticsProps) => (
  <Table
    caption="Sign-ins by outcome"
    columns={outcomeColumns}
    items={outcomesOf(statistics)}
    keyOf={({ outcome, method, provider }) => `${outcome} ${method} ${provider}`}
    empty={<Empty title="Nobody signed in." icon="sign-in" />}
  />
)

const outcomeColumns: Column<Outcome>[] = [
  {
    head: 'Outcome',
    cell: ({ outcome }) =>
      outcome === 'succeeded' ? <Badge tone="good">succeeded</Badge> : <ShortText>{outcome}</ShortText>,
  },
  { head: 'Provider', cell: ({ provider }) => (provider ? providerName(provider) : <Soft>–</Soft>) },
  { head: 'Method', cell: ({ method }) => <ShortText>{method}</ShortText> },
  { head: 'Sign-ins', cell: ({ count }) => count.toLocaleString(), align: 'end' },
]

function Deliveries({ statistics, each }: StatisticsProps) {
  const { deliveries, oldest_due } = statistics
  const data = useMemo(() => deliverySeries(statistics), [statistics])
  return (
    <Stack>
      <Chart title={`Ended per ${each}`} {...data} />
      <Properties
        items={[
          ['Pending now', deliveries.pending.toLocaleString()],
          ['In flight now', deliveries.in_flight.toLocaleString()],
          ['Oldest due', oldest_due ? <OldestDue key="due" {...oldest_due} /> : 'Nothing is overdue'],
        ]}
      />
    </Stack>
  )
}

const OldestDue = ({ webhook_id, event_id, due_at }: { webhook_id: string; event_id: string; due_at: string }) => (
  <>
    <Link to={`/deliveries/${webhook_id}/${event_id}`}>its delivery</Link>, <Ago at={due_at} />
  </>
)
