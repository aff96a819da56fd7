import type { Webhook } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../design/button.tsx'
import { Notice } from '../design/state.tsx'
import { Ago } from '../design/time.tsx'
import { noticesQuery } from '../service/notices-query.ts'
import { sentenceOf, shortError, times } from './health-words.ts'

/** That its synchronous hook fails, and what that does to those who sign in; a pause of the webhook changes nothing of it. */
export function HookNotice({ webhook: { id } }: { webhook: Pick<Webhook, 'id'> }) {
  const { data: notices = [] } = useQuery(noticesQuery)
  const notice = notices.find(({ kind, target }) => kind === 'hook_failing' && target.id === id)
  if (!notice) return null
  const { since, last_error: error, on_failure } = notice
  return (
    <Notice
      tone="bad"
      title="The synchronous hook is failing."
      action={
        <ButtonLink to={`/webhooks/${id}/dry-run`} size="small">
          Dry run
        </ButtonLink>
      }
    >
      {since && (
        <p>
          Failing since <Ago at={since} />.
        </p>
      )}
      {error && (
        <p>
          Last error: <strong>{shortError(error)}</strong>, {times(error.count)} since then. {sentenceOf(error, true)}
        </p>
      )}
      <p>
        {on_failure === 'continue'
          ? 'Where it fails, sign-ins go on without its claims, after up to three attempts.'
          : 'Where it fails, the sign-in fails, after up to three attempts.'}
      </p>
    </Notice>
  )
}
