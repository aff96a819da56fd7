import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { type LastFailure, percentile } from '../queue/index.ts'
import { TriggerRecord, WebhookRecord } from '../webhooks/index.ts'
import { type Figures, maxWaiting, type WebhookRow } from './webhook-statistics-store.ts'

const { name, target_url, enabled, created_at, paused_reason, failing_since } = WebhookRecord.properties

const count = (description: string) => Type.Integer({ description, examples: [3] })

/** How a receiver failed last, and how often. */
export const LastError = Type.Object({
  at: { ...Timestamp, description: 'When it was seen last.' },
  error: Type.Optional(Type.String({ description: 'Its word, as in the delivery log.', examples: ['timeout'] })),
  status_code: Type.Optional(Type.Integer({ description: 'Or its status.', examples: [503] })),
  count: count('How many attempts failed with the same word, or status.'),
})

const FiguresRecord = named(
  'AttemptFigures',
  Type.Object(
    {
      attempts: count('How many attempts were made.'),
      failed: count('How many of them failed: no answer, no 2XX, or of a hook no claims in it.'),
      timeouts: count('How many of them were not answered in time, or not even connected.'),
      error_rate: Type.Number({ description: 'Which share of them failed: 0 to 1.', examples: [0.02] }),
      p50_ms: Type.Optional(
        Type.Number({
          description: 'Half of them took at most so long, within 10 %; in milliseconds.',
          examples: [45.6],
        }),
      ),
      p95_ms: Type.Optional(
        Type.Number({
          description: '95 % of them took at most so long, within 10 %; in milliseconds.',
          examples: [340],
        }),
      ),
      last_error: Type.Optional({
        ...LastError,
        description: 'How the newest failure of the span failed; `count`: of the span. Absent: none did.',
      }),
    },
    { description: 'How attempts of a webhook ended, and how long they took.' },
  ),
)

export const WebhookStatistics = named(
  'WebhookStatistics',
  Type.Object(
    {
      webhook_id: { ...Uuid, description: 'The id of the webhook.' },
      name,
      target_url,
      enabled,
      created_at,
      trigger_types: Type.Array(TriggerRecord.properties.trigger_type, { description: 'The types of its triggers.' }),
      paused_at: Type.Optional({
        ...Timestamp,
        description: 'While it is not enabled: since when; absent where an earlier version paused it.',
      }),
      paused_reason,
      failing_since,
      held: count(
        `How many deliveries wait for it to be resumed; ${maxWaiting.toLocaleString('en')} stands for that many or more.`,
      ),
      pending: count(
        `How many wait for their attempt while it is not paused; ${maxWaiting.toLocaleString('en')} stands for that many or more.`,
      ),
      event: Type.Optional(FiguresRecord),
      sync_hook: Type.Optional(FiguresRecord),
    },
    { description: 'How a webhook fares: what it is, what waits for it, and its attempts over a span of time.' },
  ),
)

const toFigures = ({ attempts, failed, timeouts, durations, last_at, failure, same }: Figures) => ({
  attempts,
  failed,
  timeouts,
  error_rate: Number((failed / attempts).toFixed(4)),
  p50_ms: percentile(durations, 0.5),
  p95_ms: percentile(durations, 0.95),
  ...(failure && last_at && { last_error: toLastError({ last_at, failure, same }) }),
})

export const toLastError = ({ last_at: at, failure, same: count }: LastFailure) => ({
  at,
  ...(/^\d+$/.test(failure) ? { status_code: Number(failure) } : { error: failure }),
  count,
})

export const toWebhookStatistics = (row: WebhookRow) => ({
  webhook_id: row.id,
  name: row.name,
  target_url: row.target_url,
  enabled: row.paused_reason === null,
  created_at: row.created_at,
  trigger_types: row.trigger_types,
  paused_at: row.paused_at ?? undefined,
  paused_reason: row.paused_reason ?? undefined,
  failing_since: row.failing_since ?? undefined,
  held: row.paused_reason === null ? 0 : row.waiting,
  pending: row.paused_reason === null ? row.waiting : 0,
  ...(row.event && { event: toFigures(row.event) }),
  ...(row.sync_hook && { sync_hook: toFigures(row.sync_hook) }),
})
