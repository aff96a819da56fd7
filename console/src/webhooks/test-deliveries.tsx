import type { PublishedEvent } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../attempts/delivery-words.ts'
import { type Column, Table } from '../design/table.tsx'
import { Soft } from '../design/text.tsx'
import { SignNow } from '../jwt/sign-now.tsx'
import { Outcome } from '../outcomes/outcome.tsx'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

/** What became of test events at their webhook. Each leads to its delivery, where its attempts are. */
export const TestDeliveries = ({ webhookId, events }: { webhookId: string; events: readonly PublishedEvent[] }) => (
  <>
    <Table
      caption="What became of the test events"
      items={events}
      keyOf={({ event_id }) => event_id}
      columns={columnsFor(webhookId)}
      linkOf={({ event_id }) => `/deliveries/${webhookId}/${event_id}`}
    />
    <p>
      <Soft>The page of each delivery has its attempts, with the claims that were sent.</Soft>
    </p>
  </>
)

const columnsFor = (webhookId: string): Column<PublishedEvent>[] => [
  { head: 'Event', cell: ({ event_name }) => event_name },
  { head: 'Delivery', cell: ({ event_id }) => <Delivery webhookId={webhookId} eventId={event_id} /> },
  {
    head: 'JWT',
    align: 'end',
    cell: ({ event_id }) => <SignNow delivery={deliveryOf(webhookId, event_id)} size="small" />,
  },
]

const deliveryOf = (webhookId: string, eventId: string) =>
  ({ webhook_id: webhookId, id: eventId, trigger_type: 'event' }) as const

const watchMs = 1_000

/** Read again until it has ended; a failed attempt is shown, too. */
function Delivery({ webhookId, eventId }: { webhookId: string; eventId: string }) {
  const { data, isError } = useQuery({
    queryKey: ['searchDeliveries', 'test', webhookId, eventId],
    queryFn: async ({ signal }) => {
      const query = { webhook_id: webhookId, event_id: eventId }
      return (await signet.searchDeliveries({ query, signal })).result[0] ?? null
    },
    enabled: useMay('deliveries:read'),
    refetchInterval: ({ state }) => (state.data && !state.data.finished_at ? watchMs : false),
  })
  if (isError || data === null) return <Soft>Its delivery could not be read.</Soft>
  if (!data) return <Soft>…</Soft>
  return (
    <>
      <Outcome of={data.status} /> {resultOf(data)}
    </>
  )
}
