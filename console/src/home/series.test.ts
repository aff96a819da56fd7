import type { Statistics } from '@signet/management'
import { expect, test } from 'vitest'
import { outcomesOf, signInSeries } from './series.ts'

const [first, second] = ['2026-11-25T10:00:00Z', '2026-11-25T10:15:00Z']
const statistics = {
  events: [
    { at: first, count: 5 },
    { at: second, count: 0 },
  ],
  sign_ins: [
    { at: first, outcome: 'oidc_access_denied', method: 'oidc', count: 1 },
    { at: first, outcome: 'succeeded', method: 'oidc', count: 2 },
    { at: second, outcome: 'succeeded', method: 'oidc', count: 3 },
    { at: second, outcome: 'flow_expired', method: 'oidc', count: 1 },
  ],
} as unknown as Statistics

test('Sign-ins are counted at each point, whether they succeeded, and are 0 where there were none', () => {
  const { times, series } = signInSeries({ ...statistics, sign_ins: statistics.sign_ins.slice(0, 2) })
  expect(times).toEqual([Date.parse(first) / 1_000, Date.parse(second) / 1_000])
  expect(series.map(({ name, values }) => [name, values])).toEqual([
    ['succeeded', [2, 0]],
    ['failed', [1, 0]],
  ])
})

test('Failures of different codes at one time are one number', () => {
  const more = { at: first, outcome: 'flow_cancelled', method: 'oidc', count: 4 }
  const { series } = signInSeries({ ...statistics, sign_ins: [...statistics.sign_ins, more] })
  expect(series[1]?.values).toEqual([5, 1])
})

test('Outcomes are summed over the span, the most frequent first', () => {
  expect(outcomesOf(statistics)).toEqual([
    { outcome: 'succeeded', method: 'oidc', count: 5 },
    { outcome: 'oidc_access_denied', method: 'oidc', count: 1 },
    { outcome: 'flow_expired', method: 'oidc', count: 1 },
  ])
})
