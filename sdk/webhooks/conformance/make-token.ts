// How the webhooks of the kit are signed: each for a receiver, at a time.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Verdict = { expect: 'accepted' } | { expect: 'refused'; code: string }
export type Body = string | { repeat: string; times: number }
export type Receiver = { issuer: string; organization_id: string; target_url: string }
/** A receiver, and the time of its cases in seconds since 1970. */
export type Situation = { now: number; receiver: Receiver }
export type Maker = ReturnType<typeof makerFor>

export type KeyName = 'current' | 'next' | 'later' | 'foreign'
type TestKey = { kid: string; kty: 'EC'; crv: 'P-256'; x: string; y: string; d: string }

export const testKeys: Record<KeyName, TestKey> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'test-only-keys.json'), 'utf8'),
)
export const header = { alg: 'ES256', typ: 'JWT', kid: testKeys.current.kid }
export const organizationId = '019ab3c5-8e00-7000-8000-000000000001'

export const content = {
  event_metadata: {
    is_test_event: true,
    event_id: '019ab3c5-8e00-7000-8000-000000000002',
    timestamp: '2027-01-15T08:00:00.000000000Z',
    source: 1,
    event_type: 'PersonDeleted',
    event_name: 'PersonDeleted_v1',
    event_version: 1,
    organization_id: organizationId,
  },
  person_id: '019ab3c5-8e00-7000-8000-000000000003',
  region: 'local',
  handles: [{ type: 0, value: 'jo@example.com' }],
  groups: ['Grüße'],
}

/** The content of a synchronous hook. */
export const tokenMinted = {
  aud: '019ab3c5-8e00-7000-8000-000000000006',
  sub: content.person_id,
  iss: `https://signet.example.com/oidc/${organizationId}`,
  region: 'local',
  first_token: true,
  authentications: [{ method: 'oidc', timestamp: '2027-01-15T08:00:00.000000000Z' }],
  groups_claim_name: 'groups',
  groups: content.groups,
  request_metadata: { client_ip_address: '192.0.2.1', user_agent: 'Mozilla/5.0' },
}

/** What Signet sends to this receiver. */
export const claimsFor = ({ now, receiver }: Situation) => ({
  jti: '019ab3c5-8e00-7000-8000-000000000004',
  aud: receiver.organization_id,
  sub: content.event_metadata.event_id,
  iss: receiver.issuer,
  iat: now,
  exp: now + 300,
  webhook_id: '019ab3c5-8e00-7000-8000-000000000005',
  target_url: receiver.target_url,
  trigger_type: 'event',
  trigger_name: 'PersonDeleted_v1',
  trigger_content: content as object,
})

export const published = (...names: KeyName[]) => ({
  keys: names.map((name) => {
    const { kid, x, y } = testKeys[name]
    return { alg: 'ES256', crv: 'P-256', key_ops: ['verify'], kid, kty: 'EC', use: 'sig', x, y }
  }),
})
export const privateKey = (name: KeyName) => createPrivateKey({ key: testKeys[name], format: 'jwk' })

export const encode = (part: string | object | Buffer) =>
  Buffer.from(typeof part === 'string' || Buffer.isBuffer(part) ? part : JSON.stringify(part)).toString('base64url')
export const textOf = (part: object) => JSON.stringify(part)

/** Strings are taken as they are, so that a part need not be what JSON.stringify would write. */
export function token(head: string | object, payload: string | object | Buffer, key: KeyName = 'current') {
  const input = `${encode(head)}.${encode(payload)}`
  return `${input}.${encode(signatureOf(input, privateKey(key)))}`
}

export const signatureOf = (input: string, key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363') =>
  sign('sha256', Buffer.from(input), { key, dsaEncoding })

/** A good token for the receiver, its parts, and what makes others of it. */
export function makerFor({ now, receiver }: Situation) {
  const claimsAt = (iat: number) => claimsFor({ now: iat, receiver })
  const claims = claimsAt(now)
  const signed = (changes: object) => token(header, { ...claims, ...changes })
  const good = token(header, claims)
  const [goodHead = '', goodPayload = '', goodSignature = ''] = good.split('.')
  return { now, receiver, claims, claimsAt, signed, good, goodHead, goodPayload, goodSignature }
}
