import { expect, test } from 'vitest'
import { createClaimOutcomes } from './claim-outcomes.ts'

test('Claims fail for as long as no claim of a dispatcher has succeeded, whatever the other one does', () => {
  let now = 0
  const claims = createClaimOutcomes(() => now)
  expect(claims.failing()).toBeUndefined()
  claims.failed('healthy', 'first')
  now = 40_000
  claims.succeeded('unhealthy')
  claims.failed('healthy', 'last')
  expect(claims.failing()).toEqual({ forMs: 40_000, error: 'last' })
  claims.succeeded('healthy')
  expect(claims.failing()).toBeUndefined()
  claims.failed('unhealthy', 'anew')
  now = 41_000
  expect(claims.failing()).toEqual({ forMs: 1_000, error: 'anew' })
})
