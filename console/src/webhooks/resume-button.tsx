import type { Webhook } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import type { ButtonProps } from '../design/button.tsx'
import { useRefusal } from '../session/session.ts'
import { HeldNow } from './held-now.tsx'

type ResumeButtonProps = {
  webhook: Pick<Webhook, 'id'>
  label?: string
  button?: Pick<ButtonProps, 'size' | 'tone' | 'aria-label'>
}

/** Lets the deliveries of a paused webhook go, wherever it is said that it is paused. */
export const ResumeButton = ({ webhook: { id }, label = 'Resume webhook', button }: ResumeButtonProps) => (
  <AskingButton
    label={label}
    button={{ icon: 'play', ...button }}
    refusal={useRefusal('webhooks:write')}
    tone="primary"
    title="Resume the webhook?"
    action="Resume webhook"
    call={(signet) => signet.changeWebhook({ path: { webhook_id: id }, body: { enabled: true } })}
    done="The webhook is resumed."
  >
    <HeldNow webhookId={id} status="held" />
    <p>
      What is held goes out at once, each delivery with a new window for its retries. A receiver that was away for long
      gets much at once.
    </p>
  </AskingButton>
)
