import type { OpenSpan, Series } from '../design/chart-data.ts'
import { outcomeWords } from '../outcomes/outcome-words.ts'

const ends = ['succeeded', 'dropped', 'cancelled'] as const
type End = (typeof ends)[number]

const tones = { succeeded: 'good', dropped: 'bad', cancelled: 'soft' } as const

/** The series of a chart of deliveries that ended, each of which leads to its list. */
export const endedSeries = (valuesOf: (end: End) => number[], webhookId?: string): Series[] =>
  ends.map((end) => ({
    name: outcomeWords[end].word,
    tone: tones[end],
    values: valuesOf(end),
    to: endedDeliveries(end, webhookId),
  }))

/** The list of those that the charts count: what ended so in a span, without runs of hooks. */
export const endedDeliveries =
  (status: End, webhookId?: string) =>
  ({ since, until }: OpenSpan) => {
    const query = new URLSearchParams({ status, trigger_type: 'event', finished_since: since })
    if (until !== undefined) query.set('finished_until', until)
    if (webhookId !== undefined) query.set('webhook_id', webhookId)
    return `/deliveries?${query}`
  }
