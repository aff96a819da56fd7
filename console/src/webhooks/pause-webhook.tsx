import type { Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { AskingButton } from '../calls/asking-button.tsx'
import { Panel } from '../design/page.tsx'
import { useMay } from '../session/session.ts'
import { waitingQuery } from './webhook-queries.ts'
import { pausedReasons } from './webhook-state.tsx'

/** Holds the deliveries of a webhook, or lets them go. */
export function PauseWebhook({ webhook }: { webhook: Webhook }) {
  return (
    <Panel
      title={webhook.enabled ? 'Enabled' : 'Paused'}
      description={webhook.enabled ? enabledWords : pausedReasons[webhook.paused_reason ?? 'requested']}
      actions={<Change webhook={webhook} />}
    >
      <Waiting webhook={webhook} />
    </Panel>
  )
}

const enabledWords =
  'Its events are delivered as they happen. Pause it during a migration of its receiver, for example.'

/** How many wait now, by what they are called. */
function Waiting({ webhook }: { webhook: Webhook }) {
  const status = webhook.enabled ? 'pending' : 'held'
  const { data, isError } = useQuery({ ...waitingQuery(webhook.id, status), enabled: useMay('deliveries:read') })
  if (isError || !data) return <p>How many deliveries are {status} is not known.</p>
  const count = `${data.isMore ? 'More than ' : ''}${data.count.toLocaleString()}`
  const are = data.count === 1 ? 'delivery is' : 'deliveries are'
  return <p>{data.count === 0 ? `No deliveries are ${status}.` : `${count} ${are} ${status}.`}</p>
}

function Change({ webhook }: { webhook: Webhook }) {
  const enabled = !webhook.enabled
  const action = enabled ? 'Resume webhook' : 'Pause webhook'
  return (
    <AskingButton
      label={action}
      button={{ icon: enabled ? 'play' : 'pause', disabled: !useMay('webhooks:write') }}
      tone="primary"
      title={enabled ? 'Resume the webhook?' : 'Pause the webhook?'}
      action={action}
      call={(signet) => signet.changeWebhook({ path: { webhook_id: webhook.id }, body: { enabled } })}
      done={enabled ? 'The webhook is resumed.' : 'The webhook is paused.'}
    >
      <Waiting webhook={webhook} />
      <p>{enabled ? resumed : paused}</p>
    </AskingButton>
  )
}

const resumed =
  'What is held goes out at once, each delivery with a new window for its retries. A receiver that was away for long gets much at once.'
const paused =
  'Requests that are under way may end. Everything else is held for as long as events are kept, and goes out when you resume. Its synchronous hook is called all the same: delete the trigger to stop that.'
