import type { Statistics } from '@signet/management'
import { endedSeries } from '../attempts/ended-deliveries.ts'
import type { ChartData, OpenSpan } from '../design/chart-data.ts'
import { outcomeWords } from '../outcomes/outcome-words.ts'

/** A list with these filters, and those of a span. */
const listOf =
  (path: string, filters: Record<string, string> = {}) =>
  ({ since, until }: OpenSpan) =>
    `${path}?${new URLSearchParams({ ...filters, since, ...(until && { until }) })}`

export const eventsIn = listOf('/events')

/** The sign-ins that ended so, or that failed for a reason; events would list those of a test, too. */
export const signInsOf = (status: 'succeeded' | 'failed', failure_reason?: string) =>
  listOf('/sign-in/sign-ins', { status, ...(failure_reason !== undefined && { failure_reason }) })

/** The charts of the page, of what the interface counts by time. */
export function eventSeries({ events }: Statistics): ChartData {
  const values = events.map(({ count }) => count)
  return { times: timesOf(events), series: [{ name: 'events', tone: 'accent', values, to: eventsIn }] }
}

export const deliverySeries = ({ deliveries_by_time: points }: Statistics): ChartData => ({
  times: timesOf(points),
  series: endedSeries((end) => points.map((point) => point[end])),
})

/** Sign-ins come only with the points at which there were any. `isListed`: whether one may read the list of them. */
export function signInSeries({ events, sign_ins }: Statistics, isListed = true): ChartData {
  const countsOf = (isWanted: (outcome: string) => boolean) => {
    const counts = new Map<string, number>()
    for (const { at, outcome, count } of sign_ins) if (isWanted(outcome)) counts.set(at, (counts.get(at) ?? 0) + count)
    return events.map(({ at }) => counts.get(at) ?? 0)
  }
  const seriesOf = (name: 'succeeded' | 'failed', tone: 'good' | 'bad') => ({
    name: outcomeWords[name].word,
    tone,
    values: countsOf((outcome) => (outcome === 'succeeded') === (name === 'succeeded')),
    to: isListed ? signInsOf(name) : undefined,
  })
  return { times: timesOf(events), series: [seriesOf('succeeded', 'good'), seriesOf('failed', 'bad')] }
}

const timesOf = (points: readonly { at: string }[]) => points.map(({ at }) => Date.parse(at) / 1_000)

export type SignInCount = Omit<Statistics['sign_ins'][number], 'at'>

/** Over the whole span, the most frequent first. */
export function outcomesOf({ sign_ins }: Statistics): SignInCount[] {
  const outcomes = new Map<string, SignInCount>()
  for (const { outcome, method, provider, count } of sign_ins) {
    const key = JSON.stringify([outcome, method, provider])
    outcomes.set(key, { outcome, method, provider, count: count + (outcomes.get(key)?.count ?? 0) })
  }
  return [...outcomes.values()].sort((one, other) => other.count - one.count)
}

/** The service counts what waits and what is held so far. */
export const maxUnfinished = 100_000

export const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
