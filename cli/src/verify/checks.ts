import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import type { EventName } from '@signet/management'

export type Check = { check: string; result: 'ok' | 'failed' | 'skipped'; reason: string }
type Expected = { issuer: string; organizationId: string; keys: (JsonWebKey & { kid?: string })[]; targetUrl?: string }
type Claims = Record<string, unknown>

/** Seconds: of 6.3 and of the receiver library. */
const maxAhead = 300
const maxLifetime = 300
const stringClaims = ['jti', 'sub', 'webhook_id', 'target_url', 'trigger_name'] as const
/** Of names that are newer than this table any type will do, as for the receiver library. */
const triggerTypes: Record<EventName | 'token_minted', string> = {
  AuthenticationSucceeded_v1: 'event',
  AuthenticationFailed_v1: 'event',
  VirtualPageLoaded_v1: 'event',
  PersonCreated_v1: 'event',
  PersonDeleted_v1: 'event',
  PersonDeactivated_v1: 'event',
  PersonActivated_v1: 'event',
  PersonGroupsChanged_v1: 'event',
  token_minted: 'sync_hook',
}

const of = (check: string, holds: boolean, good: string, bad: string): Check => ({
  check,
  result: holds ? 'ok' : 'failed',
  reason: holds ? good : bad,
})

/** Every check of 6.3, each by itself: one that fails does not hide the others. */
export function check(token: string, expected: Expected, now = Date.now() / 1_000): Check[] {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  const [header, claims] = [decode(head), decode(body)]
  const isCompact = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && more.length === 0
  if (!isCompact || !header || !claims)
    return [
      of('form', false, '', 'must be a signed JWT in its compact form: three parts of base64url, with a point between'),
    ]
  return [
    of('form', true, 'a signed JWT in its compact form', ''),
    ...ofSignature(header, `${head}.${body}`, signature, expected.keys),
    ...ofTimes(claims, now),
    ...ofNames(claims, expected),
  ]
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(part: string): Claims | undefined {
  try {
    const value = JSON.parse(utf8.decode(Buffer.from(part, 'base64url')))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function ofSignature({ alg, kid, crit }: Claims, signed: string, signature: string, keys: Expected['keys']): Check[] {
  const key = keys.find((each) => each.kid === kid)
  const known = keys.map((each) => each.kid).join(', ')
  const isSigned =
    key !== undefined &&
    verify(
      'sha256',
      Buffer.from(signed),
      { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
  return [
    of('crit', crit === undefined, 'names no extension', `is ${show(crit)}, which nobody here understands`),
    of('alg', alg === 'ES256', 'ES256', `is ${show(alg)}, must be ES256`),
    of('kid', key !== undefined, `${show(kid)} is in the key set`, `${show(kid)} is not in the key set (${known})`),
    key
      ? of(
          'signature',
          isSigned,
          'is that of the key',
          'is not that of the key: the token was changed, or another signed it',
        )
      : { check: 'signature', result: 'skipped', reason: 'cannot be checked without the key' },
  ]
}

const isTime = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

function ofTimes({ iat, exp, nbf }: Claims, now: number): Check[] {
  const areTimes = isTime(iat) && isTime(exp) && (nbf === undefined || typeof nbf === 'number')
  if (!areTimes)
    return [of('iat, exp', false, '', 'must be whole seconds since 1970, and nbf a number where it is there')]
  const [from, until] = [Number(iat), Number(exp)]
  return [
    of('iat', from <= now + maxAhead, timeOf(from), `${timeOf(from)} is in the future: compare the clocks`),
    ...(nbf === undefined
      ? []
      : [of('nbf', Number(nbf) <= now, timeOf(Number(nbf)), `${timeOf(Number(nbf))} is in the future`)]),
    of('exp', until > now, timeOf(until), `${timeOf(until)} is past, by ${Math.round(now - until)} s`),
    of(
      'lifetime',
      until - from <= maxLifetime,
      `${until - from} s`,
      `is ${until - from} s, must be at most ${maxLifetime} s`,
    ),
  ]
}

function ofNames(claims: Claims, { issuer, organizationId, targetUrl }: Expected): Check[] {
  const equal = (name: string, wanted: string, what: string) =>
    of(name, claims[name] === wanted, wanted, `is ${show(claims[name])}, must be ${what}, ${wanted}`)
  const missing = stringClaims.filter((name) => typeof claims[name] !== 'string')
  const content = claims.trigger_content
  return [
    equal('iss', issuer, 'what the service calls itself'),
    equal('aud', organizationId, 'the organization'),
    targetUrl === undefined
      ? {
          check: 'target_url',
          result: 'skipped',
          reason: `is ${show(claims.target_url)}; give --target-url to compare`,
        }
      : equal('target_url', targetUrl, 'the address of the receiver'),
    of('claims', missing.length === 0, 'all are there', `${missing.join(', ')}: must be a string`),
    ofType(claims),
    ...ofEvent(claims),
    of(
      'trigger_content',
      typeof content === 'object' && content !== null && !Array.isArray(content),
      'an object',
      'must be an object',
    ),
  ]
}

/** Nobody who looks at one of the two only may take a hook for an event. */
function ofType({ trigger_type: type, trigger_name: name }: Claims): Check {
  const wanted = Object.entries(triggerTypes).find(([known]) => known === name)?.[1]
  if (wanted === undefined) return of('trigger_type', typeof type === 'string', show(type), 'must be a string')
  return of('trigger_type', type === wanted, wanted, `is ${show(type)}, must be ${wanted} for ${show(name)}`)
}

/** `sub` is the event: what looks at one of the two only must not take it for another. */
function ofEvent({ sub, trigger_content }: Claims): Check[] {
  const event = (trigger_content as { event_metadata?: { event_id?: unknown } | null } | null | undefined)
    ?.event_metadata?.event_id
  if (event === undefined) return []
  return [
    of('sub', sub === event, show(sub), `is ${show(sub)}, must be the event_id of its event_metadata, ${show(event)}`),
  ]
}

const show = (value: unknown) => JSON.stringify(value)?.slice(0, 200) ?? 'absent'
/** A time beyond what a date can hold is shown as it is. */
const timeOf = (seconds: number) =>
  Math.abs(seconds) < 8.64e12 ? new Date(seconds * 1_000).toISOString() : `${seconds}`
