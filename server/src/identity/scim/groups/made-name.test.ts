import { expect, test } from 'vitest'
import { groupNameForm } from '../../persons/groups/index.ts'
import { namesFor } from './made-name.ts'

const ids = { directoryId: '01890000-0000-7000-8000-000000000001', id: '01890000-0000-7000-8000-000000000002' }
const hash = 'dfbogh5t2b'
const names = (displayName: string, prefix = '') => namesFor({ displayName, prefix, ...ids })

// The hash by: printf '%s%s' <directory> <id> | sha256sum | xxd -r -p | base32 | head -c 10 | tr A-Z a-z
test.each([
  ['Engineering', ['Engineering', `Engineering-${hash}`]],
  ['a_b.c-d', ['a_b.c-d', `a_b.c-d-${hash}`]],
  ['Équipe R&D / Köln (EU)', ['Equipe-R-D-Koln-EU', `Equipe-R-D-Koln-EU-${hash}`]],
  ['Sales - EMEA', ['Sales-EMEA', `Sales-EMEA-${hash}`]],
  ['_Ｆｕｌｌ　ｗｉｄｔｈ_', ['Full-width', `Full-width-${hash}`]],
  ['a--b', ['a--b', 'a-b', `a-b-${hash}`]],
  ['x', [`g-${hash}`, `g-${hash}-${hash}`]],
  ['管理者', [`g-${hash}`, `g-${hash}-${hash}`]],
  ['!!!', [`g-${hash}`, `g-${hash}-${hash}`]],
  ['\u{1F600} K', [`g-${hash}`, `g-${hash}-${hash}`]],
])('72, 73: the names for %j', (displayName, expected) => {
  expect(names(displayName)).toEqual(expected)
})

test('A prefix counts in the length, and stands before a hash as well', () => {
  expect(names('Engineering', 'okta-')).toEqual(['okta-Engineering', `okta-Engineering-${hash}`])
  expect(names('管理者', 'okta-')).toEqual([`okta-g-${hash}`, `okta-g-${hash}-${hash}`])
  expect(names('n'.repeat(95), 'okta-')).toEqual([
    `okta-${'n'.repeat(95)}`,
    `okta-${'n'.repeat(84)}`,
    `okta-${'n'.repeat(84)}-${hash}`,
  ])
})

test('A name is cut to 89 characters and ends with a letter or digit, so that each fits the rule with its hash', () => {
  expect(names(`${'n'.repeat(88)} m m`)).toEqual(['n'.repeat(88), `${'n'.repeat(88)}-${hash}`])
  for (const displayName of ['é'.repeat(256), '. '.repeat(128), 'ß'.repeat(3), 'n'.repeat(100), '\u0130i', '½', 'ﬁ'])
    for (const name of names(displayName)) expect(name).toMatch(groupNameForm)
})
