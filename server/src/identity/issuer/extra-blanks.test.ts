import { expect, test } from 'vitest'
import { withoutExtraBlanks } from './extra-blanks.ts'
import { knownScope } from './library/claims.ts'

test.each([
  ['scope=openid++email+&prompt=+login+', 'scope=openid+email&prompt=login'],
  ['scope=openid%20%20email&response_type=%20code', 'scope=openid+email&response_type=code'],
  ['scope=+openid&scope=email+', 'scope=openid&scope=email'],
  ['prompt=+', 'prompt='],
])('The query %s becomes %s', (query, expected) => {
  expect(withoutExtraBlanks(query)).toBe(expected)
})

test.each(['', 'scope=openid%20email&state=%20a++b%20', 'state=a%2Bb&nonce=++', 'scope=openid%09email'])(
  'The query %j stays as it is, character by character',
  (query) => {
    expect(withoutExtraBlanks(query)).toBe(query)
  },
)

test('The scope of a refresh may have extra blanks', () => {
  expect(knownScope(' openid  email ', [])).toBe('openid email')
})
