import type { Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../design/button.tsx'
import { Notice } from '../design/state.tsx'
import { healthQuery } from './health-query.ts'
import { percent, sentenceOf, shortError, times } from './health-words.ts'
import { tokenMinted } from './trigger-kinds.ts'
import { triggersQuery } from './webhook-queries.ts'

/** From this share of failed attempts on it is said above everything else. */
const tellsFrom = 0.1

/** That its synchronous hook fails, and what that does to those who sign in; a pause of the webhook changes nothing of it. */
export function HookNotice({ webhook: { id } }: { webhook: Pick<Webhook, 'id'> }) {
  const { data: health } = useQuery(healthQuery(id))
  const { data: triggers = [] } = useQuery(triggersQuery(id))
  const hook = triggers.find(({ trigger_name }) => trigger_name === tokenMinted)
  const figures = health?.sync_hook
  if (!hook || !figures || figures.error_rate < tellsFrom) return null
  const error = figures.last_error
  return (
    <Notice
      tone="bad"
      title={`The synchronous hook fails: ${percent(figures.error_rate)} of its attempts in the last 24 hours.`}
      action={
        <ButtonLink to={`/webhooks/${id}/dry-run`} size="small">
          Dry run
        </ButtonLink>
      }
    >
      {error && (
        <p>
          Last error: <strong>{shortError(error)}</strong>, {times(error.count)}. {sentenceOf(error, true)}
        </p>
      )}
      <p>
        {hook.on_failure === 'continue'
          ? 'Where it fails, sign-ins go on without its claims, after up to three attempts.'
          : 'Where it fails, the sign-in fails, after up to three attempts.'}
      </p>
    </Notice>
  )
}
