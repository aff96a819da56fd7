import { expect, test } from 'vitest'
import type { FailureCode } from '../../server/src/identity/sign-in/authentication-events.ts'
import { failureWords, sayFailure } from '../src/events/failure-words.ts'

test('Each failure code of a sign-in has words, which are a sentence', () => {
  const all: Record<FailureCode, string> = failureWords
  for (const words of Object.values(all)) expect(words).toMatch(/^[A-Z][^_]+\.$/)
  expect(sayFailure('sync_hook_denied')).toBe('A synchronous hook refused the person.')
  expect(sayFailure('of_tomorrow')).toBe('of_tomorrow')
})
