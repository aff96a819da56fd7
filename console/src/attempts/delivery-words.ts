import type { Delivery, SearchDeliveriesData } from '@signet/management'
import { outcomeWords, sayErrorShort } from '../outcomes/outcome-words.ts'

export type Filters = NonNullable<SearchDeliveriesData['query']>
type Status = Delivery['status']

/** Those of deliveries and runs of hooks, in the order in which they come. */
export const statuses = (
  ['pending', 'in_flight', 'held', 'succeeded', 'dropped', 'cancelled', 'refused'] satisfies Status[]
).map((status) => [status, outcomeWords[status].word] as const)

type Result = { last_status_code?: number | undefined; last_error?: string | undefined }

/** What the newest attempt came to, in few characters. */
export const resultOf = ({ last_status_code, last_error }: Result) =>
  [last_status_code, last_error && sayErrorShort(last_error)].filter(Boolean).join(', ')

/** A hook run is over with its sign-in; what waits is attempted anyway. */
export const canRedeliver = ({ finished_at, trigger_type }: Delivery) =>
  finished_at !== undefined && trigger_type === 'event'
