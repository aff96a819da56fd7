import { expect, test } from 'vitest'
import { countBySection, firstOfEachKind, pageOfNotice } from './notices.ts'

test('Notices are counted by the section in which they are dealt with; one of a newer service has none', () => {
  const kinds = ['webhook_paused', 'hook_failing', 'credential_waits', 'api_key_expires', 'of_tomorrow'] as const
  const notices = kinds.map((kind) => ({ kind })) as Parameters<typeof countBySection>[0]
  expect([...countBySection(notices)]).toEqual([
    ['/webhooks', 2],
    ['/sign-in', 1],
    ['/keys', 1],
  ])
})

test('The page of a credential has its client id as the address can carry it', () => {
  const target = { type: 'oidc_credential', id: 'a/b?c', name: 'Staff' } as const
  expect(pageOfNotice({ kind: 'credential_waits', target })).toBe('/sign-in/credentials/a%2Fb%3Fc')
})

test('A key that expires is shown at once, however many webhooks are paused', () => {
  const notices = [...Array(9).fill({ kind: 'webhook_paused' }), { kind: 'api_key_expires' }]
  const kinds = firstOfEachKind(notices as Parameters<typeof firstOfEachKind>[0]).map(({ kind }) => kind)
  expect(kinds).toEqual(['webhook_paused', 'webhook_paused', 'webhook_paused', 'api_key_expires'])
})
