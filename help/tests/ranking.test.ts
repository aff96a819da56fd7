import { expect, test } from 'vitest'
import { find, firstMatch, sectionsOf, termsOf } from '../src/browser/ranking.js'

const sections = sectionsOf(
  {
    pages: [
      ['operate/settings', 'Settings'],
      ['operate/limits', 'Retries and limits'],
      ['reference/events', 'Events'],
      ['operate/runbook', 'Runbook'],
    ],
    sections: [
      [0, 'settings', 'Settings', 'All that is set, webhooks and retries among it.'],
      [0, 'signet_retry_max', 'SIGNET_RETRY_MAX', 'how often a delivery is tried'],
      [1, 'retries-and-limits', 'Retries and limits', 'Signet tries again.'],
      [1, 'errors', 'Errors', 'A key that is over is key_expired, and MONKEY no key.'],
      [2, 'events', 'Events', 'What happens.'],
      [2, 'personcreated_v1', 'PersonCreated_v1', 'somebody new'],
      [3, 'runbook', 'Runbook', 'Look at signet_deliveries_total, and at the settings.'],
      [3, 'settings-of-the-database', 'The settings of the database', 'SIGNET_RETRY_MAX_AGE is another.'],
    ],
  },
  1,
)

const found = (query: string) => find(sections, termsOf(query), 12).map(({ anchor }) => anchor)

test.each([
  ['SIGNET_RETRY_MAX', 'signet_retry_max'],
  ['signet_retry_max', 'signet_retry_max'],
  ['retry max', 'signet_retry_max'],
  ['PersonCreated_v1', 'personcreated_v1'],
  ['personcreated', 'personcreated_v1'],
  ['created', 'personcreated_v1'],
  ['key_expired', 'errors'],
  ['EXPIRED', 'errors'],
  ['signet_deliveries_total', 'runbook'],
  ['deliveries total', 'runbook'],
])('%s finds %s first', (query, anchor) => {
  expect(found(query)[0]).toBe(anchor)
})

test('A title comes before a heading, and a heading before a text', () => {
  expect(found('settings')).toEqual(['settings', 'settings-of-the-database', 'runbook'])
})

test('A word is found by its beginning, and by nothing within it', () => {
  expect(found('retr')).toContain('retries-and-limits')
  expect(found('etries')).toEqual([])
  expect(found('onkey')).toEqual([])
})

test('All terms must be found, some of them in the title of the page alone', () => {
  expect(found('limits errors')).toEqual(['errors'])
  expect(found('limits nothing')).toEqual([])
  expect(found('   ')).toEqual([])
})

test('Small words count only where there is nothing else, and endings make no difference', () => {
  expect(termsOf('How do I retry a delivery')).toEqual(['retry', 'delivery'])
  expect(termsOf('to do')).toEqual(['to', 'do'])
  expect(found('how are deliveries tried')).toEqual(['signet_retry_max'])
})

test('What is about the code comes after what is about its use', () => {
  const ofCode = sectionsOf({ pages: [['build/keys', 'Events']], sections: [[0, 'events', 'Events', '']] }, 0.4)
  expect(find([...ofCode, ...sections], ['events'], 2).map(({ address }) => address)).toEqual([
    'reference/events',
    'build/keys',
  ])
})

test('The place of a match is the first that begins a word', () => {
  expect(firstMatch('A monkey and a key', ['key'])).toEqual([15, 18])
  expect(firstMatch('A key of b', ['b', 'key'])).toEqual([2, 5])
  expect(firstMatch('nothing', ['key'])).toBeUndefined()
})
