import type { ReactNode } from 'react'
import { EquivalentCurl } from '../calls/curl.tsx'
import { ButtonLink } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Link } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import type { Step } from './progress.ts'

export const titles: Record<Step, string> = {
  webhook: 'Create a webhook',
  trigger: 'Add a trigger: the events that it is called for',
  event: 'Publish a test event',
  delivery: 'See it delivered',
}

type BodyProps = { webhookId?: string | undefined }

/** What there is to do for a step, in the console or by a command. */
export function StepBody({ step, webhookId }: BodyProps & { step: Step }) {
  const Body = bodies[step]
  return <Body webhookId={webhookId} />
}

const createWebhook: Call = (client) =>
  client.createWebhook({ body: { target_url: 'https://receiver.example.com/hook', name: 'First' } })

const WebhookStep = () => (
  <>
    <p>
      An HTTPS address of yours that Signet calls, with each call signed. To try it on a machine that the internet does
      not reach, a command forwards the same calls without a webhook:
    </p>
    <Code text="signet listen --forward-to http://localhost:3000/hook" label="Forward to this machine" />
    <ButtonLink to="/webhooks/new" tone="primary" icon="plus">
      Create webhook
    </ButtonLink>
    <EquivalentCurl call={createWebhook} />
  </>
)

function TriggerStep({ webhookId = '' }: BodyProps) {
  return (
    <>
      <p>A webhook is called only for events of which it has the trigger.</p>
      <ButtonLink to={`/webhooks/${webhookId}/triggers`} tone="primary" icon="plus">
        Add a trigger
      </ButtonLink>
      <EquivalentCurl call={addTrigger(webhookId)} />
    </>
  )
}

const addTrigger =
  (webhookId: string): Call =>
  (client) =>
    client.createTrigger({
      path: { webhook_id: webhookId },
      body: { trigger_type: 'event', trigger_name: 'PersonCreated_v1' },
    })

const publish: Call = (client) => client.publishTestEvents({ body: [{ event_name: 'PersonCreated_v1' }] })

const EventStep = () => (
  <>
    <p>It has made-up content and is marked as a test; everything else is as with any event.</p>
    <Code text="signet trigger PersonCreated" label="Publish a test event" />
    <EquivalentCurl call={publish} />
  </>
)

const findDeliveries: Call = (client) => client.searchDeliveries({ query: { limit: 10 } })

const DeliveryStep = () => (
  <>
    <p>
      A delivery has succeeded once the webhook has answered with a status of 2XX. One that has not is tried again: its
      page says what was sent and what was answered. An event from before the webhook had its trigger is not delivered
      to it: publish another one.
    </p>
    <Code text="signet trigger PersonCreated" label="Publish another test event" />
    <Link to="/deliveries">Look at the deliveries</Link>
    <EquivalentCurl call={findDeliveries} />
  </>
)

const bodies: Record<Step, (props: BodyProps) => ReactNode> = {
  webhook: WebhookStep,
  trigger: TriggerStep,
  event: EventStep,
  delivery: DeliveryStep,
}
