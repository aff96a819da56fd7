import { expect, test } from 'vitest'
import { errors, failureWords, sayError, sayErrorShort, sayFailure, sayOutcome, sayReason } from './outcome-words.ts'

test('Each failure code has a sentence, and one of a later Signet stays a code', () => {
  for (const words of Object.values(failureWords)) expect(words).toMatch(/^[A-Z][^_]+\.$/)
  expect(sayFailure('sync_hook_denied')).toBe('A synchronous hook refused the person.')
  expect(sayFailure('of_tomorrow')).toBe('of_tomorrow')
})

test('What ended has one word, and each error a short one and a sentence', () => {
  expect(['dropped', 'failed', 'in_flight'].map((outcome) => sayOutcome(outcome).word)).toEqual([
    'failed',
    'failed',
    'in flight',
  ])
  expect(sayOutcome('of_tomorrow')).toEqual({ word: 'of_tomorrow', tone: 'neutral' })
  for (const [code, words] of errors) {
    expect(words).not.toMatch(/_|\.$/)
    expect(sayError(code, false)).toMatch(/^[A-Z].*\.$/)
  }
  expect([sayErrorShort('of_tomorrow'), sayError('of_tomorrow', true), sayReason('of_tomorrow')]).toEqual([
    'of_tomorrow',
    undefined,
    'of_tomorrow',
  ])
})

test('A hook has words of its own where its rules differ', () => {
  expect(sayError('timeout', true)).toContain('of the hook')
  expect(sayError('timeout', false)).toContain('of the webhook')
  expect(sayError('bad_certificate', true)).toBe(sayError('bad_certificate', false))
})
