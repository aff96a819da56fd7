import type { Found } from '@signet/management'
import { expect, test } from 'vitest'
import { signInsOf, toCommand } from './found.ts'

const rows: [Found, path: string, name: string, kind: string][] = [
  [{ type: 'webhook', id: 'w', name: 'Billing' }, '/webhooks/w', 'Billing', 'Webhook'],
  [{ type: 'group', id: 'a/b', name: 'a/b' }, '/groups/a%2Fb/members', 'a/b', 'Group'],
  [
    { type: 'oidc_credential', id: 'c?d', provider: 'provider_a' },
    '/sign-in/credentials/c%3Fd',
    'c?d',
    'Credential, Google',
  ],
  [{ type: 'person', id: 'p', name: 'Ada', handle: 'ada@x.example' }, '/persons/p', 'Ada', 'Person, ada@x.example'],
  [{ type: 'person', id: 'p', name: 'a@x.example', handle: 'a@x.example' }, '/persons/p', 'a@x.example', 'Person'],
  [{ type: 'person', id: 'p' }, '/persons/p', 'p', 'Person'],
  [
    { type: 'delivery', id: 'e', webhook_id: 'w', name: 'PersonCreated_v1', status: 'in_flight' },
    '/deliveries/w/e',
    'PersonCreated_v1',
    'Delivery, in flight',
  ],
]

test.each(rows)('%o leads to its page, and is named with its kind', (found, path, name, kind) => {
  expect(toCommand(found)).toMatchObject({ path, name, kind })
})

test('A whole handle leads to its sign-ins, and nothing else does', () => {
  const paths = ['jo+1@x.example', '+12025550123', 'jo@', 'jo@x', 'Billing', '01a21446-0000', '+1'].map((typed) =>
    signInsOf(typed).map(({ path }) => path),
  )
  expect(paths.flat()).toEqual([
    '/sign-in/sign-ins?handle=jo%2B1%40x.example',
    '/sign-in/sign-ins?handle=%2B12025550123',
  ])
})
