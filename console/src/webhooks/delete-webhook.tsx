import type { Webhook } from '@signet/management'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Button } from '../design/button.tsx'
import { ConfirmDialog } from '../design/dialog.tsx'
import { Panel } from '../design/page.tsx'
import { notify } from '../design/toasts.tsx'
import { useMay } from '../session/session.ts'
import { useIsHookOfOthers } from './hook-scope.tsx'

/** Its end, which nothing brings back. */
export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const [isAsking, setAsking] = useState(false)
  const isHookOfOthers = useIsHookOfOthers(webhook)
  const mayWrite = useMay('webhooks:write') && !isHookOfOthers
  const navigate = useNavigate()
  function onDone() {
    notify('The webhook is deleted.')
    return navigate('/webhooks')
  }
  return (
    <Panel
      title="Delete"
      description="To stop the requests for a while, pause the webhook instead."
      actions={
        <Button tone="danger" icon="trash" disabled={!mayWrite} onClick={() => setAsking(true)}>
          Delete webhook
        </Button>
      }
    >
      <Consequences />
      <ConfirmDialog
        isOpen={isAsking}
        onDone={onDone}
        title="Delete the webhook?"
        action="Delete webhook"
        typed="delete"
        call={(signet) => signet.deleteWebhook({ path: { webhook_id: webhook.id } })}
        onClose={() => setAsking(false)}
      >
        <Consequences />
      </ConfirmDialog>
    </Panel>
  )
}

const Consequences = () => (
  <p>
    Its triggers go with it. Deliveries that wait or are held are cancelled and cannot be delivered once more; requests
    that are under way may end. Persons sign in without its synchronous hook. The log of its deliveries stays for as
    long as events are kept.
  </p>
)
