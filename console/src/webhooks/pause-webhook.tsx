import type { Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { Panel } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
import { useMay } from '../session/session.ts'
import { waitingQuery } from './webhook-queries.ts'
import { pausedReasons } from './webhook-state.tsx'

/** Holds the deliveries of a webhook, or lets them go. */
export function PauseWebhook({ webhook }: { webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false)
  const mayWrite = useMay('webhooks:write')
  const verb = webhook.enabled ? 'Pause' : 'Resume'
  return (
    <Panel
      title={webhook.enabled ? 'Enabled' : 'Paused'}
      description={webhook.enabled ? enabledWords : pausedReasons[webhook.paused_reason ?? 'requested']}
      actions={
        <Button icon={webhook.enabled ? 'pause' : 'play'} disabled={!mayWrite} onClick={() => setAsking(true)}>
          {verb} webhook
        </Button>
      }
    >
      <Waiting webhook={webhook} />
      <Ask webhook={webhook} isOpen={isAsking} onClose={() => setAsking(false)} />
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

type AskProps = { webhook: Webhook; isOpen: boolean; onClose: () => void }

function Ask({ webhook, isOpen, onClose }: AskProps) {
  const enabled = !webhook.enabled
  function onDone() {
    onClose()
    notify(enabled ? 'The webhook is resumed.' : 'The webhook is paused.')
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onDone={onDone}
      tone="primary"
      title={enabled ? 'Resume the webhook?' : 'Pause the webhook?'}
      action={enabled ? 'Resume webhook' : 'Pause webhook'}
      call={(signet) => signet.changeWebhook({ path: { webhook_id: webhook.id }, body: { enabled } })}
    >
      <Waiting webhook={webhook} />
      <p>{enabled ? resumed : paused}</p>
    </ConfirmDialog>
  )
}

const resumed =
  'What is held goes out at once, each delivery with a new window for its retries. A receiver that was away for long gets much at once.'
const paused =
  'Requests that are under way may end. Everything else is held for as long as events are kept, and goes out when you resume. Its synchronous hook is called all the same: delete the trigger to stop that.'
