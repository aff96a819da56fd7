import type { PublishedEvent, Trigger, Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Button, ButtonLink } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { Checkboxes } from '../design/field.tsx'
import { Empty, Loaded, Notice } from '../design/state.tsx'
import { Link } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { TestDeliveries } from './test-deliveries.tsx'
import { eventNames, tokenMinted } from './trigger-kinds.ts'
import { triggersQuery } from './webhook-queries.ts'

/** Publishes made-up events for one webhook alone, and shows what becomes of them. */
export function TestEvents({ webhook }: { webhook: Webhook }) {
  const [isOpen, setOpen] = useState(false)
  const refusal = useRefusal('events:write')
  return (
    <>
      <Button icon="events" disabled={refusal !== undefined} title={refusal} onClick={() => setOpen(true)}>
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
        They go to this webhook only. The content is made up and marked with <code>is_test_event</code>; the events are
        signed, delivered and repeated like any other, and are in the list of events: at most 50 at once and 10 a
        minute.
      </p>
      {!webhook.enabled && (
        <Notice tone="warn">The webhook is paused: what you send is held until it is resumed.</Notice>
      )}
      <Loaded query={triggers} lines={2}>
        {(list) => <Choice webhookId={webhook.id} triggers={list} onPublished={setPublished} />}
      </Loaded>
      {published.length > 0 && <TestDeliveries webhookId={webhook.id} events={published} />}
    </>
  )
}

type ChoiceProps = {
  webhookId: string
  triggers: readonly Trigger[]
  onPublished: (events: PublishedEvent[]) => void
}

/** An event goes to one webhook only where it has the trigger. */
function Choice({ webhookId, triggers, onPublished }: ChoiceProps) {
  const triggered = useMemo(() => eventNames.filter((name) => isAmong(triggers, name)), [triggers])
  // Not those that are chosen: the triggers may be read anew meanwhile, and one that is new among them is chosen as the others are.
  const [leftOut, setLeftOut] = useState<readonly string[]>([])
  const chosen = useMemo(() => triggered.filter((name) => !leftOut.includes(name)), [triggered, leftOut])
  const call: Call<{ result: PublishedEvent[] }> = useCallback(
    (client) => client.publishTestEvents({ body: chosen.map((event_name) => ({ event_name, webhook_id: webhookId })) }),
    [chosen, webhookId],
  )
  if (triggered.length === 0) return <NoEvents webhookId={webhookId} hasHook={isAmong(triggers, tokenMinted)} />
  return (
    <Form
      fields={[]}
      call={call}
      submit="Send"
      disabled={chosen.length === 0}
      onSaved={({ result }) => onPublished(result)}
    >
      <Checkboxes
        legend="Events"
        hint={
          <>
            Those for which the webhook has a trigger. <Link to={`/webhooks/${webhookId}/triggers`}>Triggers</Link> adds
            others.
          </>
        }
        options={triggered.map((name) => [name, name])}
        chosen={chosen}
        onChange={(kept) => setLeftOut(triggered.filter((name) => !kept.includes(name)))}
      />
    </Form>
  )
}

const isAmong = (triggers: readonly Trigger[], name: string) =>
  triggers.some(({ trigger_name }) => trigger_name === name)

const NoEvents = ({ webhookId, hasHook }: { webhookId: string; hasHook: boolean }) =>
  hasHook ? (
    <Empty
      title="The webhook is called as a synchronous hook only."
      action={<ButtonLink to={`/webhooks/${webhookId}/dry-run`}>Dry run</ButtonLink>}
    >
      No event goes to it. A dry run calls it as a sign-in would.
    </Empty>
  ) : (
    <Empty
      title="The webhook has no triggers, so that no event goes to it."
      action={<ButtonLink to={`/webhooks/${webhookId}/triggers`}>Choose triggers</ButtonLink>}
    />
  )
