import { expect, test } from 'vitest'
import { chartOfDays } from './chart-of-days.ts'

test('Has every day of the span, with zero where nothing ended', () => {
  const counts = [{ day: '2026-11-25', succeeded: 4, dropped: 1, cancelled: 0 }]
  const { times, series } = chartOfDays(counts, 3, Date.parse('2026-11-25T23:59:59.999Z'))
  expect(times.map((at) => new Date(at * 1_000).toISOString().slice(0, 10))).toEqual([
    '2026-11-23',
    '2026-11-24',
    '2026-11-25',
  ])
  expect(series.map(({ values }) => values)).toEqual([
    [0, 0, 4],
    [0, 0, 1],
    [0, 0, 0],
  ])
})
