import type { DeliveryWithAttempts } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { AttemptList } from '../attempts/attempt-list.tsx'
import { canRedeliver } from '../attempts/delivery-words.ts'
import { AskingButton } from '../calls/asking-button.tsx'
import { Json } from '../design/code.tsx'
import { Copyable } from '../design/copy.tsx'
import { Columns, Page, Panel } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago, Time } from '../design/time.tsx'
import { eventQuery } from '../events/event-query.ts'
import { SignNow } from '../jwt/sign-now.tsx'
import { type Judge, Verdict } from '../jwt/verdict.tsx'
import { verificationKeysQuery } from '../keys/verification-keys-query.ts'
import { Outcome } from '../outcomes/outcome.tsx'
import { Link, useParams } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useMay, useRefusal } from '../session/session.ts'
import { useWebhookNames, webhookQuery } from '../webhooks/webhook-queries.ts'
import { nextStep } from './next-step.ts'

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
            {delivery.trigger_type === 'event' && <Redeliver delivery={delivery} />}
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

/** What verdicts on the attempts of a webhook need, as far as it may be read. */
function useJudge(webhookId: string): Judge {
  const enabled = useMay('webhooks:read')
  const keys = useQuery({ ...verificationKeysQuery, enabled })
  const webhook = useQuery({ ...webhookQuery(webhookId), enabled })
  return { keys: keys.data?.result, targetUrl: webhook.data?.target_url }
}

function Details({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { id, webhook_id, trigger_type, reason, dropped_claims, refusal_code, next_attempt_at, finished_at } = delivery
  const isHook = trigger_type === 'sync_hook'
  const name = useWebhookNames().get(webhook_id)
  return (
    <Properties
      items={[
        ['Status', <Outcome key="status" of={delivery.status} />],
        ['Webhook', name ? <WebhookLink key="webhook" id={webhook_id} name={name} /> : webhook_id],
        [isHook ? 'Synchronous hook' : 'Event', delivery.trigger_name],
        ['Reason', reason && <Copyable key="reason" text={reason} of="reason" />],
        [
          isHook ? 'Run ID, the claim sub' : 'Delivery ID, the claim sub',
          <Copyable key="id" text={id} of={isHook ? 'run ID' : 'delivery ID'} />,
        ],
        ['See also', !isHook && <EventLinks key="event" id={id} />],
        ['Refusal code', refusal_code],
        ['Claims left out', dropped_claims?.join(', ')],
        [isHook ? 'Called' : 'Created', <Time key="created" at={delivery.created_at} />],
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

const whyNot = (delivery: DeliveryWithAttempts) => (canRedeliver(delivery) ? undefined : 'It has not ended yet.')
