import type { Delivery } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../attempts/delivery-words.ts'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Outcome, Why } from '../outcomes/outcome.tsx'
import { sayReason } from '../outcomes/outcome-words.ts'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useWebhookNames } from '../webhooks/webhook-queries.ts'
import styles from './event-deliveries.module.css'

/** More webhooks than this for one event are shown by the list of deliveries. */
const limit = 100
const refreshMs = 3_000
const unfinished = ['pending', 'in_flight', 'held']

/** What became of an event: one delivery for each webhook that had its trigger. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const query = { event_id: eventId, limit }
  const deliveries = useQuery({
    queryKey: ['searchDeliveries', query],
    queryFn: ({ signal }) => signet.searchDeliveries({ query, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.result.some(({ status }) => unfinished.includes(status)) ? refreshMs : false,
  })
  return (
    <Panel
      title="Deliveries"
      description="One for each webhook that had a trigger for it."
      actions={<Link to={`/deliveries?event_id=${encodeURIComponent(eventId)}`}>Open in Deliveries</Link>}
      flush
    >
      <Loaded query={deliveries} lines={3}>
        {({ result, meta }) => (
          <>
            <Table
              caption="Deliveries of this event"
              columns={columns}
              items={result}
              keyOf={({ webhook_id }) => webhook_id}
              linkOf={({ webhook_id, id }) => `/deliveries/${webhook_id}/${id}`}
              empty={<NoDeliveries />}
            />
            {meta.next && result.length > 0 && <p className={styles.more}>There are more in the list of deliveries.</p>}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

const columns: Column<Delivery>[] = [
  { head: 'Webhook', cell: ({ webhook_id }) => <WebhookName id={webhook_id} /> },
  { head: 'Status', cell: ({ status }) => <Outcome of={status} /> },
  { head: 'Last answer', cell: (delivery) => <LastAnswer delivery={delivery} /> },
  { head: 'Attempts', cell: ({ attempts_count }) => attempts_count.toLocaleString(), align: 'end' },
  { head: 'Then', cell: (delivery) => <Then delivery={delivery} />, minor: true },
]

/** A webhook that was deleted, or that the key may not read, has only its ID. */
function WebhookName({ id }: { id: string }) {
  const name = useWebhookNames().get(id)
  return name ? <ShortText>{name}</ShortText> : <code>{id}</code>
}

function LastAnswer({ delivery }: { delivery: Delivery }) {
  if (delivery.attempts_count === 0) return <Soft>none yet</Soft>
  return resultOf(delivery) || '–'
}

function Then({ delivery: { next_attempt_at, finished_at, reason } }: { delivery: Delivery }) {
  if (finished_at)
    return (
      <>
        ended <Ago at={finished_at} />
        {reason && (
          <>
            : <Why code={reason} words={sayReason(reason)} />
          </>
        )}
      </>
    )
  return next_attempt_at ? (
    <>
      next attempt <Ago at={next_attempt_at} />
    </>
  ) : null
}

const NoDeliveries = () => (
  <Empty title="No webhook was called for this event.">
    A webhook gets the events that it had a trigger for when they were published. Deliveries are kept for as long as
    events.
  </Empty>
)
