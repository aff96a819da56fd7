import type { PublishedEvent, Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { resultOf } from '../attempts/delivery-words.ts'
import { Form } from '../calls/form.tsx'
import { DeliveryStatus } from '../design/badge.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Checkboxes } from '../design/field.tsx'
import { Loaded, Notice } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Soft } from '../design/text.tsx'
import { type Call, signet } from '../service/signet.ts'
import { lacks, useMay } from '../session/session.ts'
import { type EventName, eventNames } from './trigger-kinds.ts'
import { triggersQuery } from './webhook-queries.ts'

/** Publishes made-up events, and shows what becomes of them at one webhook. */
export function TestEvents({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false)
  const mayPublish = useMay('events:write')
  return (
    <>
      <Button
        icon="events"
        disabled={!mayPublish}
        title={mayPublish ? undefined : lacks('events:write')}
        onClick={() => setOpen(true)}
      >
        Send test events
      </Button>
      <Dialog isOpen={isOpen} title="Send test events" isWide onClose={() => setOpen(false)}>
        <Publication webhook={webhook} />
      </Dialog>
    </>
  )
}

function Publication({ webhook }: { webhook: Webhook }) {
  const triggers = useQuery(triggersQuery(webhook.id))
  const [published, setPublished] = useState<PublishedEvent[]>([])
  return (
    <>
      <p>
        The content is made up and marked with <code>is_test_event</code>. The events are signed, delivered and repeated
        like any other, to every webhook that has the trigger: at most 50 at once and 10 a minute.
      </p>
      {!webhook.enabled && (
        <Notice tone="warn">The webhook is paused: what you send is held until it is resumed.</Notice>
      )}
      <Loaded query={triggers} lines={2}>
        {(list) => <Choice triggered={list.map(({ trigger_name }) => trigger_name)} onPublished={setPublished} />}
      </Loaded>
      {published.length > 0 && <Deliveries webhookId={webhook.id} events={published} />}
    </>
  )
}

type ChoiceProps = { triggered: readonly string[]; onPublished: (events: PublishedEvent[]) => void }

function Choice({ triggered, onPublished }: ChoiceProps) {
  const [names, setNames] = useState<string[]>(eventNames.filter((name) => triggered.includes(name)))
  const call: Call<{ result: PublishedEvent[] }> = useCallback(
    (client) => client.publishTestEvents({ body: names.map((event_name) => ({ event_name })) }),
    [names],
  )
  return (
    <Form
      fields={[]}
      call={call}
      submit="Send"
      disabled={names.length === 0}
      onSaved={({ result }) => onPublished(result)}
    >
      <Checkboxes
        legend="Events"
        hint="An event without a trigger here is published all the same, and not delivered to this webhook."
        options={eventNames.map((name) => [
          name,
          <Name key={name} name={name} isTriggered={triggered.includes(name)} />,
        ])}
        chosen={names}
        onChange={setNames}
      />
    </Form>
  )
}

const Name = ({ name, isTriggered }: { name: EventName; isTriggered: boolean }) => (
  <>
    {name} {!isTriggered && <Soft>no trigger</Soft>}
  </>
)

function Deliveries({ webhookId, events }: { webhookId: string; events: readonly PublishedEvent[] }) {
  return (
    <Table
      caption="What became of the test events"
      items={events}
      keyOf={({ event_id }) => event_id}
      columns={columnsFor(webhookId)}
      linkOf={({ event_id }) => `/deliveries/${webhookId}/${event_id}`}
    />
  )
}

const columnsFor = (webhookId: string): Column<PublishedEvent>[] => [
  { head: 'Event', cell: ({ event_name }) => event_name },
  { head: 'Delivery', cell: ({ event_id }) => <Delivery webhookId={webhookId} eventId={event_id} /> },
]

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
  if (isError) return <Soft>Its delivery could not be read.</Soft>
  if (data === null) return <Soft>It is not delivered to this webhook, which has no trigger for it.</Soft>
  if (!data) return <Soft>…</Soft>
  return (
    <>
      <DeliveryStatus status={data.status} /> {resultOf(data)}
    </>
  )
}
