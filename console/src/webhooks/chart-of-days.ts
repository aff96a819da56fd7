import type { DeliveryCounts } from '@signet/management'
import { endedSeries } from '../attempts/ended-deliveries.ts'
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
  return {
    times: starts.map((at) => at / 1_000),
    series: endedSeries((status) => starts.map((at) => byDay.get(at)?.[status] ?? 0), webhookId),
  }
}
