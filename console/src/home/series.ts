import type { Statistics } from '@signet/management'
import { endedDeliveries } from '../attempts/ended-deliveries.ts'
import type { ChartData, OpenSpan } from '../design/chart-data.ts'

/** A list with these filters, and those of a span. */
const listOf =
  (path: string, filters: Record<string, string> = {}) =>
  ({ since, until }: OpenSpan) =>
    `${path}?${new URLSearchParams({ ...filters, since, ...(until && { until }) })}`

export const eventsIn = listOf('/events')

/** Events would list those of a test, too. */
export const signInsOf = (status: 'succeeded' | 'failed') => listOf('/sign-in/sign-ins', { status })

/** The charts of the page, of what the interface counts by time. */
export function eventSeries({ events }: Statistics): ChartData {
  const values = events.map(({ count }) => count)
  return { times: timesOf(events), series: [{ name: 'events', tone: 'accent', values, to: eventsIn }] }
}

export function deliverySeries({ deliveries_by_time: points }: Statistics): ChartData {
  return {
    times: timesOf(points),
    series: [
      {
        name: 'succeeded',
        tone: 'good',
        values: points.map(({ succeeded }) => succeeded),
        to: endedDeliveries('succeeded'),
      },
      { name: 'failed', tone: 'bad', values: points.map(({ dropped }) => dropped), to: endedDeliveries('dropped') },
      {
        name: 'cancelled',
        tone: 'soft',
        values: points.map(({ cancelled }) => cancelled),
        to: endedDeliveries('cancelled'),
      },
    ],
  }
}

/** Sign-ins come only with the points at which there were any. */
export function signInSeries({ events, sign_ins }: Statistics): ChartData {
  const countsOf = (isWanted: (outcome: string) => boolean) => {
    const counts = new Map<string, number>()
    for (const { at, outcome, count } of sign_ins) if (isWanted(outcome)) counts.set(at, (counts.get(at) ?? 0) + count)
    return events.map(({ at }) => counts.get(at) ?? 0)
  }
  return {
    times: timesOf(events),
    series: [
      {
        name: 'succeeded',
        tone: 'good',
        values: countsOf((outcome) => outcome === 'succeeded'),
        to: signInsOf('succeeded'),
      },
      {
        name: 'failed',
        tone: 'bad',
        values: countsOf((outcome) => outcome !== 'succeeded'),
        to: signInsOf('failed'),
      },
    ],
  }
}

const timesOf = (points: readonly { at: string }[]) => points.map(({ at }) => Date.parse(at) / 1_000)

export type Outcome = Omit<Statistics['sign_ins'][number], 'at'>

/** Over the whole span, the most frequent first. */
export function outcomesOf({ sign_ins }: Statistics): Outcome[] {
  const outcomes = new Map<string, Outcome>()
  for (const { outcome, method, provider, count } of sign_ins) {
    const key = JSON.stringify([outcome, method, provider])
    outcomes.set(key, { outcome, method, provider, count: count + (outcomes.get(key)?.count ?? 0) })
  }
  return [...outcomes.values()].sort((one, other) => other.count - one.count)
}

export const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
