import type { Delivery } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../attempts/delivery-words.ts'
import { DeliveryStatus } from '../design/badge.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Panel } from '../design/page.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Ago } from '../design/time.tsx'
import { signet } from '../service/signet.ts'

const shown = 5
/** Of those that wait, so many are looked at for failed attempts. */
const lookedAt = 100

/** Deliveries that failed for good, and those that are tried again after a failure: the newest of both. */
export function NewestFailures({ webhookId }: { webhookId: string }) {
  const query = useQuery({
    queryKey: ['searchDeliveries', 'failures', webhookId],
    queryFn: async ({ signal }) => {
      const search = (status: Delivery['status'], limit: number) =>
        signet.searchDeliveries({ query: { webhook_id: webhookId, status, limit }, signal })
      const [dropped, pending] = await Promise.all([search('dropped', shown), search('pending', lookedAt)])
      const failed = pending.result.filter(({ attempts_count }) => attempts_count > 0)
      return [...dropped.result, ...failed].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, shown)
    },
  })
  return (
    <Panel
      title="Newest failures"
      flush
      actions={
        <ButtonLink to={`/deliveries?webhook_id=${webhookId}&status=dropped`} size="small">
          All that failed
        </ButtonLink>
      }
    >
      <Loaded query={query}>
        {(deliveries) => (
          <Table
            caption="Newest failures"
            columns={columns}
            items={deliveries}
            keyOf={({ id }) => id}
            linkOf={({ webhook_id, id }) => `/deliveries/${webhook_id}/${id}`}
            empty={<Empty title="Nothing has failed." icon="check" />}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columns: Column<Delivery>[] = [
  { head: 'Event', whole: true, cell: ({ trigger_name }) => trigger_name },
  { head: 'Status', whole: true, cell: ({ status }) => <DeliveryStatus status={status} /> },
  { head: 'Last result', cell: resultOf },
  { head: 'Attempts', align: 'end', cell: ({ attempts_count }) => attempts_count },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
]
