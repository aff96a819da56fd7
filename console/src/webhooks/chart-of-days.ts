import type { DeliveryCounts } from '@signet/management'
import { endedDeliveries } from '../attempts/ended-deliveries.ts'
import type { ChartData } from '../design/chart-data.ts'

const dayMs = 86_400_000

/** Every day of the span, the oldest first, those without deliveries too. `now` in milliseconds since 1970. */
export function chartOfDays(
  counts: readonly DeliveryCounts[],
  days: number,
  now: number,
  webhookId?: string,
): ChartData {
  const today = Math.floor(now / dayMs)
  const starts = Array.from({ length: days }, (_, place) => (today - days + 1 + place) * dayMs)
  const byDay = new Map(counts.map((day) => [Date.parse(day.day), day]))
  const valuesOf = (status: 'succeeded' | 'dropped' | 'cancelled') => starts.map((at) => byDay.get(at)?.[status] ?? 0)
  return {
    times: starts.map((at) => at / 1_000),
    series: [
      { name: 'succeeded', tone: 'good', values: valuesOf('succeeded'), to: endedDeliveries('succeeded', webhookId) },
      { name: 'failed', tone: 'bad', values: valuesOf('dropped'), to: endedDeliveries('dropped', webhookId) },
      { name: 'cancelled', tone: 'soft', values: valuesOf('cancelled'), to: endedDeliveries('cancelled', webhookId) },
    ],
  }
}
