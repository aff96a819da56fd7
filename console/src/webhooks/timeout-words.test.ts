import { expect, test } from 'vitest'
import { timeoutInWords } from './timeout-words.ts'

test('The default is said by what the webhook is called for, and never as 0s', () => {
  expect(timeoutInWords('0s', ['PersonCreated_v1'])).toBe('10 s (default)')
  expect(timeoutInWords('0s', ['token_minted'])).toBe('2 s (default)')
  expect(timeoutInWords('0s', ['token_minted', 'PersonCreated_v1'])).toMatch(/^10 s for events, 2 s/)
  expect(timeoutInWords('0s')).toMatch(/^10 s for events, 2 s/)
  expect(timeoutInWords('2.5s', ['token_minted'])).toBe('2.5s')
})
