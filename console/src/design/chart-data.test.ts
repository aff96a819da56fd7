import { expect, test } from 'vitest'
import { spanOf, ticksOf, topOf } from './chart-data.ts'

const everyMinutes = (minutes: number, count: number, from = Date.UTC(2026, 0, 31, 22, 10)) =>
  Array.from({ length: count }, (_, place) => from / 1_000 + place * minutes * 60)

const stacked = (...values: number[][]) => ({
  times: everyMinutes(1, values[0]?.length ?? 0),
  series: values.map((each) => ({ name: 'any', tone: 'good' as const, values: each })),
})

test('A value stands for the time until the next one, and the last for as long', () => {
  const times = everyMinutes(15, 2)
  expect(spanOf({ times }, 0)).toEqual({ since: '2026-01-31T22:10:00.000Z', until: '2026-01-31T22:25:00.000Z' })
  expect(spanOf({ times }, 1)).toEqual({ since: '2026-01-31T22:25:00.000Z', until: '2026-01-31T22:40:00.000Z' })
})

test('The height holds the highest stack, not the highest value', () => {
  expect(topOf(stacked([0, 3], [0, 3]))).toBe(10)
  expect(topOf(stacked([4, 3], [0, 1]))).toBe(4)
  expect(topOf(stacked([0], [0]))).toBe(1)
  expect(topOf(stacked([100]))).toBe(100)
  expect(topOf(stacked([101]))).toBe(200)
})

test('The axis names whole hours and days of the reader, and few of them', () => {
  const utc = () => 0
  const timesOf = (minutes: number, count: number, offset = utc) => {
    const times = everyMinutes(minutes, count)
    return ticksOf(times, offset).map((place) => new Date((times[place] ?? 0) * 1_000).toISOString().slice(5, 16))
  }
  expect(timesOf(1, 60)).toEqual(['01-31T22:15', '01-31T22:30', '01-31T22:45', '01-31T23:00'])
  expect(timesOf(15, 96)).toEqual(['02-01T00:10', '02-01T06:10', '02-01T12:10', '02-01T18:10'])
  expect(timesOf(120, 84).length).toBe(6)
  // Words at the edge would be cut.
  expect(ticksOf(everyMinutes(1_440, 8), utc)).not.toContain(7)
  expect(timesOf(1_440, 30).length).toBeLessThanOrEqual(7)
  expect(timesOf(1, 60, () => 19_800)).toEqual(['01-31T22:15', '01-31T22:30', '01-31T22:45', '01-31T23:00'])
})
