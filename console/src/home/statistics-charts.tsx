import type { Statistics } from '@signet/management'
import { useMemo } from 'react'
import { ButtonLink } from '../design/button.tsx'
import { Chart } from '../design/chart.tsx'
import { countUpTo } from '../design/count.ts'
import { Columns, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Empty } from '../design/state.tsx'
import { Table } from '../design/table.tsx'
import { Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Outcome, Why } from '../outcomes/outcome.tsx'
import { sayFailure } from '../outcomes/outcome-words.ts'
import { providerName } from '../providers/providers.ts'
import { Link } from '../router/index.ts'
import {
  deliverySeries,
  eventSeries,
  maxUnfinished,
  outcomesOf,
  type SignInCount,
  signInSeries,
  signInsOf,
} from './series.ts'
import styles from './statistics-charts.module.css'
import { useMaySignIns } from './use-may-sign-ins.ts'

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
  const isListed = useMaySignIns()
  const data = useMemo(() => signInSeries(statistics, isListed), [statistics, isListed])
  return <Chart title={`Sign-ins per ${each}`} {...data} />
}

function Outcomes({ statistics }: StatisticsProps) {
  const isListed = useMaySignIns()
  const counts = outcomesOf(statistics)
  /** The list has the sign-ins by all providers, so that only what is the whole of an outcome leads to it. */
  const isWhole = ({ outcome }: SignInCount) => counts.filter((each) => each.outcome === outcome).length === 1
  const listOf = (count: SignInCount) =>
    isListed && isWhole(count) ? signInsOfOutcome(count.outcome, statistics) : undefined
  return (
    <Table
      caption="Sign-ins by outcome"
      columns={[
        { head: 'Outcome', cell: ({ outcome }) => <HowTheyEnded outcome={outcome} /> },
        { head: 'Provider', cell: ({ provider }) => (provider ? providerName(provider) : <Soft>not known</Soft>) },
        { head: 'Sign-ins', cell: (count) => <Count of={count.count} to={listOf(count)} />, align: 'end' },
      ]}
      items={counts}
      keyOf={({ outcome, method, provider }) => `${outcome} ${method} ${provider}`}
      empty={<Empty title="Nobody signed in." icon="sign-in" />}
    />
  )
}

const signInsOfOutcome = (outcome: string, { since }: Statistics) =>
  (outcome === 'succeeded' ? signInsOf('succeeded') : signInsOf('failed', outcome))({ since })

const Count = ({ of, to }: { of: number; to: string | undefined }) =>
  to ? <Link to={to}>{of.toLocaleString()}</Link> : of.toLocaleString()

const HowTheyEnded = ({ outcome }: { outcome: string }) =>
  outcome === 'succeeded' ? (
    <Outcome of={outcome} />
  ) : (
    <span className={styles.outcome}>
      <Outcome of="failed" />
      <Why code={outcome} words={sayFailure(outcome)} />
    </span>
  )

function Deliveries({ statistics, each }: StatisticsProps) {
  const { deliveries, oldest_due } = statistics
  const data = useMemo(() => deliverySeries(statistics), [statistics])
  return (
    <Stack>
      <Chart title={`Ended per ${each}`} {...data} />
      <Properties
        items={[
          ['Pending now', countUpTo(deliveries.pending, maxUnfinished)],
          ['In flight now', countUpTo(deliveries.in_flight, maxUnfinished)],
          ['Overdue for longest', oldest_due ? <OldestDue key="due" {...oldest_due} /> : 'Nothing is overdue'],
        ]}
      />
    </Stack>
  )
}

const OldestDue = ({ webhook_id, event_id, due_at }: { webhook_id: string; event_id: string; due_at: string }) => (
  <>
    <Link to={`/deliveries/${webhook_id}/${event_id}`}>this delivery</Link>, due <Ago at={due_at} />
  </>
)
