// A receiver with every check, on node:crypto alone. `without` leaves some out, to show that the kit sees it.
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

export type Receiver = { issuer: string; organization_id: string; target_url: string }
export type Part = Record<string, unknown>

const maxBodyBytes = 2_097_152
const seconds = { ahead: 300, lifetime: 300, fresh: 300, grace: 3_600, afterFailure: 5, longestPause: 60 }
const milliseconds = { fetch: 10_000, patience: 1_000 }

const isText = (value: unknown) => typeof value === 'string'
const isSeconds = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const forms: Record<string, (value: unknown) => boolean> = {
  jti: isText,
  aud: isText,
  sub: isText,
  iss: isText,
  iat: isSeconds,
  exp: isSeconds,
  webhook_id: isText,
  target_url: isText,
  trigger_type: isText,
  trigger_name: isText,
  trigger_content: isObject,
}

const headChecks = ['size', 'form', 'algorithm', 'crit', 'kid'] as const
const claimChecks = [
  'utf8',
  'expiry',
  'not before',
  'ahead',
  'lifetime',
  'audience',
  'issuer',
  'target',
  'trigger type',
] as const
const keyChecks = [
  'known key',
  'signature',
  'organization header',
  'redirect',
  'status',
  'wrong setting',
  'some keys',
  'whole keys',
  'five minutes',
  'end of grace',
  'grace',
  'fetch for an unknown key',
  'pause',
  'pause that grows',
  'short pause after failure',
  'one fetch for all',
  'timeout',
  'patience',
] as const
/** Each may be left out by its name. */
export const checks: readonly string[] = [
  ...headChecks,
  ...claimChecks,
  ...Object.keys(forms).map((claim) => `form of ${claim}`),
  ...keyChecks,
]

export class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export class ExampleReceiver {
  private readonly receiver: Receiver
  private readonly leftOut: ReadonlySet<string>
  private readonly keySet: KeySet

  constructor(receiver: Receiver, without: Iterable<string> = []) {
    this.receiver = receiver
    this.leftOut = new Set(without)
    this.keySet = new KeySet(receiver, this.leftOut)
  }

  /** Throws `Refused`. `now` is in seconds since 1970. */
  async verify(body: string, now: number): Promise<void> {
    this.demand('size', body.length <= maxBodyBytes, 'too_large')
    this.demand('form', /^[\w-]+\.[\w-]+\.[\w-]*$/.test(body))
    const [head = '', payload = '', signature = ''] = body.split('.')
    const header = objectIn(decode(head))
    require('malformed', isText(header.alg))
    this.demand('algorithm', header.alg === 'ES256', 'bad_signature')
    this.demand('crit', header.crit === undefined)
    this.demand('kid', isText(header.kid))
    const key = await this.keyFor(header, now)
    this.demand('signature', this.isSigned(`${head}.${payload}`, decode(signature), key, header), 'bad_signature')
    this.check(objectIn(decode(payload), !this.leftOut.has('utf8')), now)
  }

  protected keyFor({ kid }: Part, now: number): Promise<KeyObject> {
    return this.keySet.key(String(kid), now)
  }

  protected isSigned(input: string, signature: Buffer, key: KeyObject, _header: Part): boolean {
    return verify('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }, signature)
  }

  private check(claims: Part, now: number) {
    for (const [claim, fits] of Object.entries(forms)) this.demand(`form of ${claim}`, fits(claims[claim]))
    const { iat, exp, nbf = 0 } = claims as { iat: number; exp: number; nbf?: number }
    const { issuer, organization_id, target_url } = this.receiver
    const type = claims.trigger_name === 'token_minted' ? 'sync_hook' : 'event'
    this.demand('lifetime', !(exp - iat > seconds.lifetime))
    this.demand('trigger type', !isText(claims.trigger_type) || claims.trigger_type === type)
    this.demand('expiry', !(exp <= now), 'expired')
    this.demand('not before', nbf <= now, 'not_yet_valid')
    this.demand('ahead', !(iat > now + seconds.ahead), 'not_yet_valid')
    this.demand('audience', claims.aud === organization_id, 'wrong_audience')
    this.demand('issuer', claims.iss === issuer, 'wrong_issuer')
    this.demand('target', claims.target_url === target_url, 'wrong_target_url')
  }

  private demand(check: string, holds: boolean, code = 'malformed') {
    if (!this.leftOut.has(check)) require(code, holds)
  }
}

function require(code: string, holds: boolean) {
  if (!holds) throw new Refused(code)
}

const decode = (part: string) => Buffer.from(part, 'base64url')

function objectIn(bytes: Buffer, fatal = true): Part {
  try {
    const part = JSON.parse(new TextDecoder('utf-8', { fatal }).decode(bytes))
    if (isObject(part)) return part
  } catch {}
  throw new Refused('malformed')
}

class KeySet {
  private readonly receiver: Receiver
  private readonly leftOut: ReadonlySet<string>
  private keys = new Map<string, KeyObject>()
  private failure: Error | undefined
  private pending: Promise<void> | undefined
  private fetched = Number.NEGATIVE_INFINITY
  private nextFetch = Number.NEGATIVE_INFINITY
  private pause = 0

  constructor(receiver: Receiver, leftOut: ReadonlySet<string>) {
    this.receiver = receiver
    this.leftOut = leftOut
  }

  async key(kid: string, now: number): Promise<KeyObject> {
    const isOld = now - this.fetched > seconds.fresh && !this.leftOut.has('five minutes')
    const isUnknown = !this.keys.has(kid) && (this.keys.size === 0 || !this.leftOut.has('fetch for an unknown key'))
    if (isOld || isUnknown) await this.refreshed(kid, now)
    const isOver = now - this.fetched > (this.leftOut.has('grace') ? seconds.fresh : seconds.grace)
    const [first] = this.keys.values()
    const key = this.keys.get(kid) ?? (this.leftOut.has('known key') ? first : undefined)
    if (key && (!isOver || this.leftOut.has('end of grace'))) return key
    throw this.failure instanceof Refused
      ? this.failure
      : new Refused(this.failure ? 'keys_unavailable' : 'unknown_key')
  }

  /** Those who wait share one fetch, and whoever has a key does not wait for long. */
  private async refreshed(kid: string, now: number) {
    const isDue = now >= this.nextFetch || this.leftOut.has('pause')
    if (isDue && (!this.pending || this.leftOut.has('one fetch for all')))
      this.pending = this.refresh(kid, now).finally(() => {
        this.pending = undefined
      })
    const isPatient = !this.keys.has(kid) || this.leftOut.has('patience')
    await (isPatient ? this.pending : Promise.race([this.pending, wait(milliseconds.patience)]))
  }

  private async refresh(kid: string, now: number) {
    try {
      this.keys = await this.fetch()
      this.failure = undefined
      this.fetched = now
    } catch (error) {
      this.failure = error as Error
    }
    const helped = !this.failure && this.keys.has(kid)
    const isShort = this.failure && !this.leftOut.has('short pause after failure')
    const longer = this.leftOut.has('pause that grows') ? 1 : Math.max(1, 2 * this.pause)
    const longest = isShort ? seconds.afterFailure : seconds.longestPause
    this.pause = helped ? 0 : this.leftOut.has('short pause after failure') ? longest : Math.min(longest, longer)
    this.nextFetch = now + this.pause
  }

  private async fetch(): Promise<Map<string, KeyObject>> {
    const { issuer, organization_id } = this.receiver
    const answer = await fetch(`${issuer}/organizations/webhooks/verification-jwks`, {
      headers: this.leftOut.has('organization header') ? {} : { 'Service-OrgID': organization_id },
      redirect: this.leftOut.has('redirect') ? 'follow' : 'manual',
      ...(this.leftOut.has('timeout') ? {} : { signal: AbortSignal.timeout(milliseconds.fetch) }),
    })
    const isWrong = answer.status === 400 || answer.status === 404
    if (isWrong && !this.leftOut.has('wrong setting')) throw new Refused('wrong_setting')
    if (answer.status !== 200 && !this.leftOut.has('status')) throw new Error(`was answered with ${answer.status}`)
    return this.keysIn((await answer.json()) as { keys: Part[] })
  }

  private keysIn({ keys }: { keys: Part[] }): Map<string, KeyObject> {
    const ours = keys.filter(({ kty, crv }) => kty === 'EC' && crv === 'P-256')
    const whole = this.leftOut.has('whole keys') ? ours.filter(({ kid, y }) => isText(kid) && isText(y)) : ours
    if (ours.length === 0 && !this.leftOut.has('some keys')) throw new Error('was answered with no keys')
    const read = ({ kty, crv, x, y }: Part) => createPublicKey({ key: { kty, crv, x, y } as never, format: 'jwk' })
    return new Map(whole.map((key) => [String(key.kid), read(key)]))
  }
}

const wait = (ms: number) => new Promise<void>((over) => setTimeout(over, ms))
