import { expect, test } from 'vitest'
import { readProfile } from './profile.ts'

const full = {
  name: 'Ann Smith',
  given_name: 'Ann',
  family_name: 'Smith',
  preferred_username: 'ann@corp.example',
  picture: 'https://pictures.example/ann.png?size=96',
  locale: 'de-CH',
}

test('A profile has the members of OpenID Connect that a provider sends, and no other', () => {
  expect(readProfile({ ...full, email: 'ann@corp.example', sub: '1', updated_at: 1 })).toEqual(full)
  expect(readProfile({ name: ' Ann ' })).toEqual({ name: 'Ann' })
  for (const nothing of [undefined, null, 'Ann', 7, [], {}]) expect(readProfile(nothing)).toEqual({})
})

test.each(Object.keys(full))('The member %s is left out where it is no text', (member) => {
  const without = Object.fromEntries(Object.entries(full).filter(([name]) => name !== member))
  for (const value of [
    undefined,
    null,
    '',
    '  ',
    7,
    true,
    {},
    ['Ann'],
    'a\u0000b',
    'a\nb',
    'a\u202eb',
    'a\u200bb',
    'a\ud800',
    'a\u2028b',
  ])
    expect(readProfile({ ...full, [member]: value })).toEqual(without)
})

test('A member of more than 200 characters is left out, and a picture of more than 2,048', () => {
  const [longest, picture] = ['😀'.repeat(200), `https://pictures.example/${'a'.repeat(2_023)}`]
  expect(readProfile({ name: longest, picture })).toEqual({ name: longest, picture })
  expect(readProfile({ name: `${longest}a`, picture: `${picture}a` })).toEqual({})
})

test.each([
  'http://pictures.example/ann.png',
  'javascript:alert(1)',
  'data:image/png;base64,AA==',
  '//pictures.example/ann.png',
  'https://ann:secret@pictures.example/ann.png',
  'https://pictures.example/ann smith.png',
  'https://',
])('The picture %s is left out', (picture) => {
  expect(readProfile({ name: 'Ann', picture })).toEqual({ name: 'Ann' })
})
