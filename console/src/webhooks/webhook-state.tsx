import type { Webhook } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { Ago } from '../design/time.tsx'

/** Enabled, since when its deliveries fail, or paused and why. */
export function WebhookState({ webhook }: { webhook: Pick<Webhook, 'enabled' | 'paused_reason' | 'failing_since'> }) {
  if (webhook.enabled && webhook.failing_since)
    return (
      <>
        <Badge tone="bad">failing since</Badge> <Ago at={webhook.failing_since} />
      </>
    )
  if (webhook.enabled) return <Badge tone="good">enabled</Badge>
  const tone = webhook.paused_reason === 'failing' ? 'bad' : 'warn'
  return <Badge tone={tone}>{`paused: ${webhook.paused_reason ?? 'requested'}`}</Badge>
}

/** Why it is paused, in a sentence. */
export const pausedReasons: Record<NonNullable<Webhook['paused_reason']>, string> = {
  requested: 'Somebody paused it.',
  failing:
    'Signet paused it because no attempt had succeeded for five days, or for the time that the operator set. Repair the receiver, then resume it.',
  restored:
    'This Signet was restored from a backup, so that nothing is sent twice by mistake. Its synchronous hook is not called either.',
}
