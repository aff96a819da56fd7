import type { Statistics } from '@signet/management'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { Badge } from '../design/badge.tsx'
import { Chart } from '../design/chart.tsx'
import { Columns, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { deliverySeries, eventSeries, type Outcome, outcomesOf, signInSeries } from './series.ts'

type StatisticsProps = { statistics: Statistics }

export const StatisticsCharts = ({ statistics }: StatisticsProps) => (
  <Columns>
    <Panel title="Sign-ins">
      <SignIns statistics={statistics} />
    </Panel>
    <Stack>
      <Panel title="Events">
        <Events statistics={statistics} />
      </Panel>
      <Panel title="Deliveries">
        <Deliveries statistics={statistics} />
      </Panel>
    </Stack>
  </Columns>
)

function Events({ statistics }: StatisticsProps) {
  const data = useMemo(() => eventSeries(statistics), [statistics])
  return <Chart title={`Events in each ${statistics.step}`} {...data} />
}

function SignIns({ statistics }: StatisticsProps) {
  const data = useMemo(() => signInSeries(statistics), [statistics])
  return (
    <Stack>
      <Chart title={`Sign-ins in each ${statistics.step}`} {...data} />
      <Table
        caption="Sign-ins by outcome"
        columns={outcomeColumns}
        items={outcomesOf(statistics)}
        keyOf={({ outcome, method }) => `${outcome} ${method}`}
        empty={<Soft>Nobody signed in. Test events are not counted.</Soft>}
      />
    </Stack>
  )
}

const outcomeColumns: Column<Outcome>[] = [
  {
    head: 'Outcome',
    cell: ({ outcome }) =>
      outcome === 'succeeded' ? <Badge tone="good">succeeded</Badge> : <ShortText>{outcome}</ShortText>,
  },
  { head: 'Method', cell: ({ method }) => <ShortText>{method}</ShortText> },
  { head: 'Sign-ins', cell: ({ count }) => count.toLocaleString(), align: 'end' },
]

function Deliveries({ statistics }: StatisticsProps) {
  const { step, deliveries, oldest_due } = statistics
  const data = useMemo(() => deliverySeries(statistics), [statistics])
  return (
    <Stack>
      <Chart title={`Deliveries that ended in each ${step}`} {...data} />
      <Properties
        items={[
          ['Pending now', deliveries.pending.toLocaleString()],
          ['In flight now', deliveries.in_flight.toLocaleString()],
          ['Oldest due', oldest_due ? <OldestDue key="due" {...oldest_due} /> : 'None: nothing is late.'],
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
