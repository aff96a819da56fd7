import type { AnyEvent } from '@signet/management'
import { expect, test } from 'vitest'
import { personOf, sourceOf, summaryOf } from './event-words.ts'

const event = (fields: object) => ({ event_metadata: { source: 1 }, ...fields }) as AnyEvent
const browser_metadata = { user_agent: 'Firefox', window_location: 'https://app.example.com/' }
const person = { person_id: '7', region: 'eu' }

test.each([
  ['a sign-in', { ...person, success_authn_method: 'oidc', browser_metadata }, 'by oidc'],
  [
    'a sign-in that failed',
    { failed_authn_method: 'oidc', failure_reason: 'oidc_access_denied', browser_metadata },
    'The person cancelled at the provider, or the provider does not let them in.',
  ],
  [
    'a sign-in that failed for a reason of a later Signet',
    { failed_authn_method: 'oidc', failure_reason: 'something_new', browser_metadata },
    'something_new',
  ],
  ['a page', { browser_metadata }, 'https://app.example.com/'],
  ['a new person', person, 'in region eu'],
  ['a deleted person', { ...person, groups: [], handles: [{ type: 0, value: 'jo@example.com' }] }, 'jo@example.com'],
  ['a deleted person without handles', { ...person, groups: [], handles: [] }, 'without handles'],
])('The summary of %s', (_, fields, expected) => {
  expect(summaryOf(event(fields))).toBe(expected)
})

test('A sign-in that failed need not name a person', () => {
  expect(personOf(event({ failed_authn_method: 'oidc', failure_reason: 'x' }))).toBeUndefined()
  expect(personOf(event(person))).toBe('7')
})

test('A source of a later contract is its number', () => {
  expect(sourceOf(event({}))).toContain('Cloud')
  expect(sourceOf({ event_metadata: { source: 9 } } as unknown as AnyEvent)).toBe('9')
})
