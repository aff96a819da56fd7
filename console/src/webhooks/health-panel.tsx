import type { AttemptFigures, WebhookStatistics } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import styles from './health-panel.module.css'
import { healthQuery } from './health-query.ts'
import { latency, percent, sentenceOf, shortError, times } from './health-words.ts'

/** How its receiver answered in the last 24 hours: for events and for the hook apart, which have rules of their own. */
export function HealthPanel({ webhookId }: { webhookId: string }) {
  const query = useQuery(healthQuery(webhookId))
  return (
    <Panel
      title="Health"
      description="Attempts of the last 24 hours, and how long they took: half were quicker than p50, 95 of 100 quicker than p95."
      flush
    >
      <Loaded query={query} lines={2}>
        {(health) => (
          <Table
            caption="Health"
            columns={columns}
            items={health ? kindsOf(health) : []}
            keyOf={({ name }) => name}
            empty={<NoAttempts />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

type Kind = { name: string; rule: string; isHook: boolean; figures: AttemptFigures }

function kindsOf({ event, sync_hook }: WebhookStatistics): Kind[] {
  return [
    ...(event ? [{ name: 'Events', rule: eventRule, isHook: false, figures: event }] : []),
    ...(sync_hook ? [{ name: 'Synchronous hook', rule: hookRule, isHook: true, figures: sync_hook }] : []),
  ]
}

/** What counts as success. */
const eventRule = 'A status from 200 to 299 is success.'
const hookRule = 'A whole answer with claims, nothing to add or a refusal, in time, is success. A sign-in waits for it.'

const NoAttempts = () => (
  <Empty title="No attempt was made in the last 24 hours." icon="deliveries">
    With the first one its times are shown here.
  </Empty>
)

const columns: Column<Kind>[] = [
  {
    head: 'Called for',
    cell: ({ name, rule }) => (
      <span className={styles.kind}>
        {name}
        <Soft>{rule}</Soft>
      </span>
    ),
  },
  { head: 'p50', align: 'end', whole: true, cell: ({ figures }) => latency(figures.p50_ms) },
  { head: 'p95', align: 'end', whole: true, cell: ({ figures }) => latency(figures.p95_ms) },
  { head: 'Attempts', align: 'end', cell: ({ figures }) => figures.attempts.toLocaleString() },
  { head: 'Time-outs', align: 'end', cell: ({ figures }) => <Count of={figures.timeouts} /> },
  { head: 'Error rate', align: 'end', whole: true, cell: ({ figures }) => <ErrorRate figures={figures} /> },
  {
    head: 'Last error',
    cell: ({ figures: { last_error }, isHook }) => last_error && <LastError error={last_error} isHook={isHook} />,
  },
]

const Count = ({ of }: { of: number }) => <span className={of > 0 ? styles.bad : undefined}>{of.toLocaleString()}</span>

const ErrorRate = ({ figures: { attempts, failed, error_rate } }: { figures: AttemptFigures }) =>
  attempts === 0 ? (
    <Soft>–</Soft>
  ) : (
    <span title={`${failed.toLocaleString()} of ${attempts.toLocaleString()} failed`}>
      <span className={failed > 0 ? styles.bad : undefined}>{percent(error_rate)}</span>
    </span>
  )

function LastError({ error, isHook }: { error: NonNullable<AttemptFigures['last_error']>; isHook: boolean }) {
  const sentence = sentenceOf(error, isHook)
  return (
    <span className={styles.kind}>
      <span>
        <strong>{shortError(error)}</strong>, {times(error.count)}, <Ago at={error.at} />
      </span>
      {sentence && <Soft>{sentence}</Soft>}
    </span>
  )
}
