import type { Webhook } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { Panel } from '../design/page.tsx'
import { useRefusal } from '../session/session.ts'
import { HeldNow } from './held-now.tsx'
import { ResumeButton } from './resume-button.tsx'
import { pausedReasons } from './webhook-state.tsx'

/** Holds the deliveries of a webhook, or lets them go. */
export const PauseWebhook = ({ webhook }: { webhook: Webhook }) => (
  <Panel
    title={webhook.enabled ? 'Active' : 'Paused'}
    description={webhook.enabled ? activeWords : pausedReasons[webhook.paused_reason ?? 'requested']}
    actions={webhook.enabled ? <PauseButton webhook={webhook} /> : <ResumeButton webhook={webhook} />}
  >
    <HeldNow webhookId={webhook.id} status={webhook.enabled ? 'pending' : 'held'} />
  </Panel>
)

const activeWords = 'Its events are delivered as they happen. Pause it during a migration of its receiver, for example.'

const PauseButton = ({ webhook: { id } }: { webhook: Webhook }) => (
  <AskingButton
    label="Pause webhook"
    button={{ icon: 'pause' }}
    refusal={useRefusal('webhooks:write')}
    tone="primary"
    title="Pause the webhook?"
    action="Pause webhook"
    call={(signet) => signet.changeWebhook({ path: { webhook_id: id }, body: { enabled: false } })}
    done="The webhook is paused."
  >
    <HeldNow webhookId={id} status="pending" />
    <p>
      Requests that are under way may end. Everything else is held for as long as events are kept, and goes out when you
      resume. Its synchronous hook is called all the same: delete the trigger to stop that.
    </p>
  </AskingButton>
)
