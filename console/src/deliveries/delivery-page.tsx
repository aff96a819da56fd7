import type { DeliveryWithAttempts } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { AttemptList } from '../attempts/attempt-list.tsx'
import { canRedeliver } from '../attempts/delivery-words.ts'
import { Verdict } from '../attempts/verdict.tsx'
import { AskingButton } from '../calls/asking-button.tsx'
import { DeliveryStatus } from '../design/badge.tsx'
import { Json } from '../design/code.tsx'
import { Copyable } from '../design/copy.tsx'
import { Columns, Page, Panel } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago, Time } from '../design/time.tsx'
import { eventQuery } from '../events/event-query.ts'
import { Link, useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { useWebhookNames } from '../webhooks/webhook-queries.ts'
import { nextStep } from './next-step.ts'
import { SignNow } from './sign-now.tsx'
import { useJudge } from './use-judge.ts'

const watchMs = 2_000

/** What became of one delivery, attempt by attempt. */
export function Component() {
  const { webhookId = '', deliveryId = '' } = useParams()
  const query = useQuery({
    queryKey: ['getDelivery', webhookId, deliveryId],
    queryFn: async ({ signal }) =>
      (await signet.getDelivery({ path: { webhook_id: webhookId, delivery_id: deliveryId }, signal })).result,
    // Until it has ended it changes without anybody here.
    refetchInterval: ({ state }) => (state.data && !state.data.finished_at ? watchMs : false),
  })
  const delivery = query.data
  return (
    <Page
      title={delivery ? titleOf(delivery) : 'Delivery'}
      parent={{ to: '/deliveries', name: 'Deliveries' }}
      actions={
        delivery && (
          <>
            <SignNow delivery={delivery} />
            <Redeliver delivery={delivery} />
          </>
        )
      }
    >
      <Loaded query={query}>{(shown) => <Shown delivery={shown} />}</Loaded>
    </Page>
  )
}

const titleOf = ({ trigger_type, trigger_name }: DeliveryWithAttempts) =>
  `${trigger_type === 'sync_hook' ? 'Run of the hook' : 'Delivery of'} ${trigger_name}`

function Shown({ delivery }: { delivery: DeliveryWithAttempts }) {
  const content = useContent(delivery)
  const judge = useJudge(delivery.webhook_id)
  return (
    <>
      <Panel title={delivery.trigger_type === 'sync_hook' ? 'What became of it' : 'What happens next'}>
        <p>{nextStep(delivery)}</p>
      </Panel>
      <Columns>
        <Panel title="Attempts" description="The newest first.">
          <AttemptList
            attempts={delivery.attempts}
            isHook={delivery.trigger_type === 'sync_hook'}
            content={content.data}
            verdictOf={({ request, number }) =>
              request && <Verdict label={`Verdict on the JWT of attempt ${number}`} jwt={request} {...judge} />
            }
          />
        </Panel>
        <Panel title="Details">
          <Details delivery={delivery} />
        </Panel>
      </Columns>
      {delivery.trigger_type === 'event' && (
        <Panel title="Content" description="What the JWT of each attempt carries as trigger_content.">
          <Loaded query={content}>{(event) => <Json value={event} label="trigger_content" />}</Loaded>
        </Panel>
      )}
    </>
  )
}

/** Of a hook run nothing is kept; an event may be older than events are kept. */
const useContent = ({ id, trigger_type }: DeliveryWithAttempts) =>
  useQuery({ ...eventQuery(id), enabled: trigger_type === 'event' })

function Details({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { id, webhook_id, trigger_type, dropped_claims, refusal_code, next_attempt_at, finished_at } = delivery
  const name = useWebhookNames().get(webhook_id)
  return (
    <Properties
      items={[
        ['Status', <DeliveryStatus key="status" status={delivery.status} />],
        ['Webhook', name ? <WebhookLink key="webhook" id={webhook_id} name={name} /> : webhook_id],
        [trigger_type === 'event' ? 'Event' : 'Synchronous hook', delivery.trigger_name],
        ['Delivery ID, the claim sub', <Copyable key="id" text={id} of="delivery ID" />],
        ['See also', trigger_type === 'event' && <EventLinks key="event" id={id} />],
        ['Refusal code', refusal_code],
        ['Dropped claims', dropped_claims?.join(', ')],
        ['Created', <Time key="created" at={delivery.created_at} />],
        ['Next attempt', next_attempt_at && <Ago key="next" at={next_attempt_at} />],
        ['Ended', finished_at && <Time key="ended" at={finished_at} />],
      ]}
    />
  )
}

const WebhookLink = ({ id, name }: { id: string; name: string }) => (
  <Link to={`/webhooks/${id}`}>
    <ShortText>{name}</ShortText>
  </Link>
)

const EventLinks = ({ id }: { id: string }) => (
  <>
    <Link to={`/events/${id}`}>The event</Link> and <Link to={`/deliveries?event_id=${id}`}>all its deliveries</Link>
  </>
)

function Redeliver({ delivery }: { delivery: DeliveryWithAttempts }) {
  const path = { webhook_id: delivery.webhook_id, delivery_id: delivery.id }
  return (
    <AskingButton
      label="Resend"
      button={{ icon: 'refresh' }}
      refusal={useRefusal('deliveries:write') ?? whyNot(delivery)}
      title="Resend?"
      action="Resend"
      tone="primary"
      call={(signet) => signet.redeliver({ path })}
      done="The delivery is due at once."
    >
      <p>
        It is due at once, has a new window for its retries, and is signed anew with the same sub: a receiver that has
        handled it ignores it.
      </p>
    </AskingButton>
  )
}

function whyNot(delivery: DeliveryWithAttempts): string | undefined {
  if (canRedeliver(delivery)) return undefined
  return delivery.trigger_type === 'event'
    ? 'It has not ended yet.'
    : 'A run of the synchronous hook is over with its sign-in.'
}
