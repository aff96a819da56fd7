import { expect, test } from 'vitest'
import { failureWords, sayFailure } from './failure-words.ts'

test('Each failure code has a sentence, and one of a later Signet stays a code', () => {
  for (const words of Object.values(failureWords)) expect(words).toMatch(/^[A-Z][^_]+\.$/)
  expect(sayFailure('sync_hook_denied')).toBe('A synchronous hook refused the person.')
  expect(sayFailure('of_tomorrow')).toBe('of_tomorrow')
})
