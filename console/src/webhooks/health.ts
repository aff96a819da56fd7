import type { AttemptFigures, WebhookStatistics } from '@signet/management'
import { queryOptions } from '@tanstack/react-query'
import { errorWords, hookErrorWords, resultOf } from '../attempts/delivery-words.ts'
import { duration } from '../design/time.tsx'
import { signet } from '../service/signet.ts'

const refreshMs = 30_000

/** How one webhook did in the last 24 hours; null: it is gone. */
export const healthQuery = (webhookId: string) =>
  queryOptions({
    queryKey: ['listWebhookStatistics', webhookId],
    queryFn: async ({ signal }): Promise<WebhookStatistics | null> =>
      (await signet.listWebhookStatistics({ query: { webhook_id: webhookId }, signal })).result[0] ?? null,
    refetchInterval: refreshMs,
  })

/** A share of all as people say it: none and all are said only where they are. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`
  if (share < 0.001) return 'under 0.1 %'
  return `${Math.min(share * 100, 99.9).toFixed(1)} %`
}

export const latency = (ms: number | null | undefined) => (ms === undefined || ms === null ? '–' : duration(ms))

type LastError = NonNullable<AttemptFigures['last_error']>

/** In few characters, such as `503` or `bad certificate`. */
export const shortError = ({ error, status_code }: LastError) =>
  resultOf({ last_status_code: status_code, last_error: error } as Parameters<typeof resultOf>[0])

/** In a sentence, where there is one. Of a hook another answer counts. */
export function sentenceOf({ error = '' }: LastError, isHook = false): string | undefined {
  const words: Record<string, string> = { ...errorWords, ...(isHook && hookErrorWords) }
  return words[error]
}

export const times = (count: number) => (count === 1 ? 'once' : `${count.toLocaleString()} times`)

/** What waits for its webhook, also while that is paused. */
export const waitingOf = ({ held, pending }: Pick<WebhookStatistics, 'held' | 'pending'>) => held + pending
