import type { Webhook } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { Panel } from '../design/page.tsx'
import { useMay } from '../session/session.ts'
import { useIsHookOfOthers } from './hook-scope.tsx'

/** Its end, which nothing brings back. */
export function DeleteWebhook({ webhook }: { webhook: Webhook }) {
  const isHookOfOthers = useIsHookOfOthers(webhook)
  const mayWrite = useMay('webhooks:write') && !isHookOfOthers
  return (
    <Panel
      title="Delete"
      description="To stop the requests for a while, pause the webhook instead."
      actions={
        <AskingButton
          label="Delete webhook"
          button={{ tone: 'danger', icon: 'trash', disabled: !mayWrite }}
          title="Delete the webhook?"
          action="Delete webhook"
          typed="delete"
          call={(signet) => signet.deleteWebhook({ path: { webhook_id: webhook.id } })}
          done="The webhook is deleted."
          next="/webhooks"
        >
          <Consequences />
        </AskingButton>
      }
    >
      <Consequences />
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
