import type { Statistics } from '@signet/management'
import { expect, test } from 'vitest'
import { outcomesOf, signInSeries, signInsOf } from './series.ts'

const [first, second] = ['2026-11-25T10:00:00Z', '2026-11-25T10:15:00Z']
const statistics = {
  events: [
    { at: first, count: 5 },
    { at: second, count: 0 },
  ],
  sign_ins: [
    { at: first, outcome: 'oidc_access_denied', method: 'oidc', provider: 'provider_a', count: 2 },
    { at: first, outcome: 'succeeded', method: 'oidc', provider: 'provider_a', count: 2 },
    { at: second, outcome: 'succeeded', method: 'oidc', provider: 'provider_a', count: 3 },
    { at: second, outcome: 'succeeded', method: 'oidc', provider: 'provider_g', count: 4 },
    { at: second, outcome: 'flow_cancelled', method: 'oidc', provider: null, count: 1 },
  ],
} as unknown as Statistics

test('Sign-ins are counted at each point, whether they succeeded, and are 0 where there were none', () => {
  const { times, series } = signInSeries({ ...statistics, sign_ins: statistics.sign_ins.slice(0, 2) })
  expect(times).toEqual([Date.parse(first) / 1_000, Date.parse(second) / 1_000])
  expect(series.map(({ name, values }) => [name, values])).toEqual([
    ['succeeded', [2, 0]],
    ['failed', [2, 0]],
  ])
})

test('Failures of different codes at one time are one number', () => {
  const more = { at: first, outcome: 'flow_cancelled', method: 'oidc', provider: null, count: 4 }
  const { series } = signInSeries({ ...statistics, sign_ins: [...statistics.sign_ins, more] })
  expect(series[1]?.values).toEqual([6, 1])
})

test('Outcomes are summed over the span by provider, the most frequent first', () => {
  expect(outcomesOf(statistics)).toEqual([
    { outcome: 'succeeded', method: 'oidc', provider: 'provider_a', count: 5 },
    { outcome: 'succeeded', method: 'oidc', provider: 'provider_g', count: 4 },
    { outcome: 'oidc_access_denied', method: 'oidc', provider: 'provider_a', count: 2 },
    { outcome: 'flow_cancelled', method: 'oidc', provider: null, count: 1 },
  ])
})

test('A bar of sign-ins leads to those of its span and outcome, where they may be read', () => {
  const span = { since: first, until: second }
  const linksOf = (isListed: boolean) => signInSeries(statistics, isListed).series.map(({ to }) => to?.(span))
  const query = 'since=2026-11-25T10%3A00%3A00Z&until=2026-11-25T10%3A15%3A00Z'
  expect(linksOf(true)).toEqual([
    `/sign-in/sign-ins?status=succeeded&${query}`,
    `/sign-in/sign-ins?status=failed&${query}`,
  ])
  expect(linksOf(false)).toEqual([undefined, undefined])
  expect(signInsOf('failed', 'flow_cancelled')(span)).toBe(
    `/sign-in/sign-ins?status=failed&failure_reason=flow_cancelled&${query}`,
  )
})
