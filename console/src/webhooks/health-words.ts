import type { AttemptFigures, WebhookStatistics } from '@signet/management'
import { resultOf } from '../attempts/delivery-words.ts'
import { countUpTo } from '../design/count.ts'
import { duration } from '../design/time.tsx'
import { sayError } from '../outcomes/outcome-words.ts'

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
  resultOf({ last_status_code: status_code, last_error: error })

/** In a sentence, where there is one. Of a hook another answer counts. */
export const sentenceOf = ({ error = '' }: LastError, isHook = false) => sayError(error, isHook)

export const times = (count: number) => (count === 1 ? 'once' : `${count.toLocaleString()} times`)

/** The service counts what waits so far and no further. */
const mostCounted = 10_000

export const manyOf = (count: number) => countUpTo(count, mostCounted)

/** What waits for its webhook, also while that is paused. */
export const waitingOf = ({ held, pending }: Pick<WebhookStatistics, 'held' | 'pending'>) => held + pending
