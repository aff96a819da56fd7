/** For tests of a receiver: the keys and signatures of a Signet. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { createKeySet, type KeySet } from './key-set.ts'
import type { Claims, TriggerName, Triggers } from './webhook.ts'

export type TestSenderOptions = {
  issuer: string
  organizationId: string
  targetUrl: string
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** Metadata of an event; absent members are made up. */
type Content<Name extends TriggerName> = Triggers[Name] extends { event_metadata: infer Metadata }
  ? Omit<Triggers[Name], 'event_metadata'> & { event_metadata?: Partial<Metadata> }
  : Triggers[Name]

/** A key as Signet publishes it (2.6). */
export type PublishedKey = {
  alg: 'ES256'
  crv: 'P-256'
  key_ops: ['verify']
  kid: string
  kty: 'EC'
  use: 'sig'
  x: string
  y: string
}

export type TestSender = {
  /** For `verifyWebhook` or a handler, instead of the fetched key set. */
  keySet: KeySet
  /** The response of `GET /organizations/webhooks/verification-jwks`. */
  published: { keys: PublishedKey[] }
  /** The body of a request. `claims` can make it invalid: `{ exp: 0 }`. */
  sign<Name extends TriggerName>(name: Name, content: Content<Name>, claims?: Partial<Claims>): Promise<string>
}

/** Makes a key pair and signs webhooks with it that this receiver accepts. */
export async function createTestSender({ now = Date.now, ...receiver }: TestSenderOptions): Promise<TestSender> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const { x = '', y = '' } = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint({ kty: 'EC', crv: 'P-256', x, y })
  const published: PublishedKey = { alg: 'ES256', crv: 'P-256', key_ops: ['verify'], kid, kty: 'EC', use: 'sig', x, y }
  const fetch = async () => Response.json({ keys: [published] })
  return {
    keySet: createKeySet({ ...receiver, fetch }),
    published: { keys: [published] },
    sign: (name, content, given) => {
      const claims = { ...madeUp(receiver, Math.floor(now() / 1000)), ...given }
      const trigger = triggerOf(name, content, claims)
      return new SignJWT({ ...claims, ...trigger })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid })
        .sign(privateKey)
    },
  }
}

/** All claims of 6.3 but those of the trigger. */
const madeUp = ({ issuer, organizationId, targetUrl }: TestSenderOptions, iat: number): Claims => ({
  jti: crypto.randomUUID(),
  aud: organizationId,
  sub: crypto.randomUUID(),
  iss: issuer,
  iat,
  exp: iat + 300,
  webhook_id: crypto.randomUUID(),
  target_url: targetUrl,
})

function triggerOf(name: TriggerName, content: object, claims: Claims) {
  if (name === 'token_minted') return { trigger_type: 'sync_hook', trigger_name: name, trigger_content: content }
  const given = content as { event_metadata?: object }
  const event_metadata = { ...metadataOf(name, claims), ...given.event_metadata }
  return { trigger_type: 'event', trigger_name: name, trigger_content: { ...content, event_metadata } }
}

const metadataOf = (name: TriggerName, { sub, aud, iat }: Claims) => ({
  is_test_event: true,
  event_id: sub,
  timestamp: new Date(iat * 1000).toISOString().replace('Z', '000000Z'),
  source: name.startsWith('Person') ? 1 : 2,
  event_type: name.replace(/_v\d+$/, ''),
  event_name: name,
  event_version: Number(name.replace(/^.*_v/, '')),
  organization_id: aud,
})
