import type { AttemptFigures, Webhook, WebhookStatistics } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Row } from '../design/page.tsx'
import { Notice } from '../design/state.tsx'
import { Ago, Since } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { noticesQuery } from '../service/notices-query.ts'
import { healthQuery } from './health-query.ts'
import { manyOf, sentenceOf, shortError, times, waitingOf } from './health-words.ts'
import { PausedBy } from './paused-by.tsx'
import { ResumeButton } from './resume-button.tsx'
import { TryNow } from './try-now.tsx'
import { pausedReasons } from './webhook-state.tsx'

/** Above everything else: that it is paused or failing, why, and what can be done about it here. */
export function StatusNotice({ webhook }: { webhook: Webhook }) {
  const { data: health } = useQuery(healthQuery(webhook.id))
  if (webhook.enabled && !webhook.failing_since) return null
  return (
    <TryNow webhookId={webhook.id} waiting={health ? waitingOf(health) : undefined}>
      {(tryButton) => (
        <Notice
          tone={webhook.enabled || webhook.paused_reason === 'failing' ? 'bad' : 'warn'}
          title={webhook.enabled ? 'The webhook is failing.' : 'The webhook is paused.'}
          action={
            <Row>
              {tryButton}
              {!webhook.enabled && <ResumeButton webhook={webhook} button={{ size: 'small', tone: 'primary' }} />}
            </Row>
          }
        >
          {webhook.enabled ? (
            <p>Its deliveries are tried again by the schedule. After five days without a success Signet pauses it.</p>
          ) : (
            <p>
              {pausedReasons[webhook.paused_reason ?? 'requested']} Its deliveries are held for as long as events are
              kept.
            </p>
          )}
          <Facts webhook={webhook} health={health ?? undefined} />
        </Notice>
      )}
    </TryNow>
  )
}

type FactsProps = { webhook: Webhook; health: WebhookStatistics | undefined }

function Facts({ webhook, health }: FactsProps) {
  const { paused_at, held = 0, pending = 0, event } = health ?? {}
  const { data: notices = [] } = useQuery(noticesQuery)
  const notice = notices.find(({ kind, target }) => kind !== 'hook_failing' && target.id === webhook.id)
  return (
    <ul>
      {paused_at && (
        <li>
          Paused <Ago at={paused_at} />
          {webhook.paused_reason === 'requested' && (
            <>
              , <PausedBy webhookId={webhook.id} />
            </>
          )}
        </li>
      )}
      {webhook.failing_since && (
        <li>
          Failing <Since at={webhook.failing_since} />
        </li>
      )}
      {notice?.last_error ? (
        <LastError error={notice.last_error} span="since then" />
      ) : (
        event?.last_error && <LastError error={event.last_error} span="in the last 24 hours" />
      )}
      {held > 0 && <Waiting webhookId={webhook.id} count={held} status="held" />}
      {webhook.enabled && pending > 0 && <Waiting webhookId={webhook.id} count={pending} status="pending" />}
    </ul>
  )
}

type LastErrorProps = { error: NonNullable<AttemptFigures['last_error']>; span: string }

const LastError = ({ error, span }: LastErrorProps) => (
  <li>
    Last error: <strong>{shortError(error)}</strong>, {times(error.count)} {span}, <Ago at={error.at} />.{' '}
    {sentenceOf(error)}
  </li>
)

type WaitingProps = { webhookId: string; count: number; status: 'held' | 'pending' }

const Waiting = ({ webhookId, count, status }: WaitingProps) => (
  <li>
    <Link to={`/deliveries?webhook_id=${webhookId}&status=${status}`}>
      {manyOf(count)} {count === 1 ? 'delivery' : 'deliveries'} {status}
    </Link>
  </li>
)
