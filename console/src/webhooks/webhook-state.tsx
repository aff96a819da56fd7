import type { Webhook } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { Soft } from '../design/text.tsx'
import { Since } from '../design/time.tsx'

/** Active, since when its deliveries fail, or paused and why. */
export function WebhookState({ webhook }: { webhook: Pick<Webhook, 'enabled' | 'paused_reason' | 'failing_since'> }) {
  if (!webhook.enabled) return <PausedState reason={webhook.paused_reason ?? 'requested'} />
  if (!webhook.failing_since) return <Badge tone="good">active</Badge>
  return (
    <>
      <Badge tone="bad">failing</Badge> <Since at={webhook.failing_since} />
    </>
  )
}

type PausedReason = NonNullable<Webhook['paused_reason']>

const PausedState = ({ reason }: { reason: PausedReason }) => (
  <>
    <Badge tone={reason === 'failing' ? 'bad' : 'warn'}>paused</Badge> <Soft>{shortReasons[reason]}</Soft>
  </>
)

const shortReasons: Record<PausedReason, string> = {
  requested: 'by request',
  failing: 'for failing',
  restored: 'after a restore',
}

/** Why it is paused, in a sentence. */
export const pausedReasons: Record<PausedReason, string> = {
  requested: 'Somebody paused it.',
  failing:
    'Signet paused it because no attempt had succeeded for five days, or for the time that the operator set. Repair the receiver, then resume it.',
  restored:
    'This Signet was restored from a backup, so that nothing is sent twice by mistake. Its synchronous hook is not called either.',
}
