import { expect, test } from 'vitest'
import type { Signer } from '../../../ground/keys/index.ts'
import { sentAlike } from './request.ts'
import { showSent } from './sent-request.ts'

const signer = { key: { kid: 'k' } } as Signer
const targetUrl = 'https://receiver.example.com/hook'
const invocation = { organizationId: 'o', webhookId: 'w', triggerType: 'event', triggerName: 'n', sub: 's' } as const
const namesOf = (names: string[]) => {
  const sent = `1764063000 ${sentAlike({ signer, targetUrl, headers: names.flatMap((name) => [name, 'secret']) })}`
  return showSent(sent, invocation, { iss: 'https://id.example.com', jti: 'j' }).header_names
}

test('The log of an attempt has the names of custom headers, and of very long ones the first', () => {
  const own = namesOf([])
  expect(namesOf(['x-one', 'x-two', 'x-two'])).toEqual(['x-one', 'x-two', 'x-two', ...own])
  const long = Array.from({ length: 50 }, (_, at) => `x-${at}-`.padEnd(300, 'a'))
  expect(namesOf(long)).toEqual([...long.slice(0, 3), ...own])
  expect(namesOf([...long, 'x-short'])).toEqual([...long.slice(0, 3), ...own])
})
