import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { verifyWebhook } from '@signet/webhooks'
import { describe, expect, test } from 'vitest'
import { check } from '../src/verify/checks.ts'

type Vector = { name: string; body: string; expect: string; code?: string }
const vectors = JSON.parse(
  readFileSync(new URL('../../sdk/webhooks/conformance/vectors.json', import.meta.url), 'utf8'),
)

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'ES256', use: 'sig' }
const receiver = { issuer: 'https://id.example', organizationId: 'a0', targetUrl: 'https://app.example/hook' }
const keySet = {
  key: async (kid: string) => (kid === 'first' ? importKey() : Promise.reject(new Error('unknown_key'))),
}
const importKey = () =>
  crypto.subtle.importKey('jwk', jwk as JsonWebKey, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])

const now = 1_800_000_000
const claims = {
  jti: 'j',
  sub: 's',
  webhook_id: 'w',
  iss: receiver.issuer,
  aud: receiver.organizationId,
  iat: now,
  exp: now + 300,
  target_url: receiver.targetUrl,
  trigger_type: 'event',
  trigger_name: 'PersonCreated_v1',
  trigger_content: {},
}
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = { alg: 'ES256', kid: 'first' }

function make(given: object, { head = header, signed }: { head?: object; signed?: string } = {}): string {
  const text = `${part(head)}.${part({ ...claims, ...given })}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${text}.${sign('sha256', Buffer.from(signed ?? text), key).toString('base64url')}`
}

const checksOf = (token: string) => check(token, { ...receiver, keys: [jwk] }, now)
const accepts = (token: string) =>
  verifyWebhook(token, { ...receiver, keySet, now: () => now * 1_000 }).then(
    () => true,
    () => false,
  )

describe('The checks of a webhook', () => {
  test.each([
    ['an event', make({})],
    ['a hook', make({ trigger_type: 'sync_hook', trigger_name: 'token_minted' })],
    ['an event that is newer than the command', make({ trigger_name: 'PersonMoved_v1' })],
    ['one of a sender whose clock is 299 s ahead', make({ iat: now + 299, exp: now + 599 })],
  ])('All checks hold for %s, which the receiver library accepts as well', async (_, token) => {
    expect(checksOf(token).filter(({ result }) => result !== 'ok')).toEqual([])
    expect(await accepts(token)).toBe(true)
  })

  test.each([
    ['form', `${make({})}.more`],
    ['form', 'nonsense'],
    ['alg', make({}, { head: { ...header, alg: 'HS256' } })],
    ['kid', make({}, { head: { ...header, kid: 'second' } })],
    ['signature', make({}, { signed: 'another text' })],
    ['iat, exp', make({ exp: 'soon' })],
    ['iat', make({ iat: now + 301, exp: now + 302 })],
    ['exp', make({ iat: now - 300, exp: now })],
    ['lifetime', make({ exp: now + 301 })],
    ['iss', make({ iss: `${receiver.issuer}/` })],
    ['aud', make({ aud: 'b1' })],
    ['target_url', make({ target_url: 'https://app.example/' })],
    ['claims', make({ jti: 1 })],
    ['claims', make({ trigger_name: undefined })],
    ['trigger_type', make({ trigger_type: 'sync_hook' })],
    ['trigger_type', make({ trigger_name: 'token_minted' })],
    ['trigger_type', make({ trigger_name: 'PersonMoved_v1', trigger_type: undefined })],
    ['trigger_content', make({ trigger_content: [] })],
  ])(
    'A token with one thing wrong fails the check %s and no other, and the receiver library refuses it (case %#)',
    async (name, token) => {
      const checks = checksOf(token)
      expect(checks.filter(({ result }) => result === 'failed').map((each) => each.check)).toEqual([name])
      expect(checks.every(({ reason }) => reason !== '')).toBe(true)
      expect(await accepts(token)).toBe(false)
    },
  )

  test.each(vectors.tokens.filter(({ code }: Vector) => code !== 'too_large') as Vector[])(
    'The token "$name" of the conformance vectors is $expect here as in every library',
    ({ body, expect: expected }) => {
      const { issuer, organization_id: organizationId, target_url: targetUrl } = vectors.receiver
      const checks = check(body, { issuer, organizationId, targetUrl, keys: vectors.key_set.keys }, vectors.now)
      expect(checks.some(({ result }) => result === 'failed') ? 'refused' : 'accepted').toBe(expected)
    },
  )

  test('A subject that is not the event of the content fails', () => {
    const content = { event_metadata: { event_id: 'another' } }
    const failed = checksOf(make({ trigger_content: content })).filter(({ result }) => result === 'failed')
    expect(failed.map((each) => each.check)).toEqual(['sub'])
  })

  test('Without an address to compare that check is left out, and its claim must be there all the same', () => {
    const { targetUrl: _, ...others } = receiver
    const resultsOf = (given: object) =>
      Object.fromEntries(check(make(given), { ...others, keys: [jwk] }, now).map((each) => [each.check, each.result]))
    expect(resultsOf({})).toMatchObject({ target_url: 'skipped', claims: 'ok' })
    expect(resultsOf({ target_url: undefined })).toMatchObject({ target_url: 'skipped', claims: 'failed' })
  })
})
