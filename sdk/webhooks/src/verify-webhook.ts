import { errors, type JWTPayload, jwtVerify } from 'jose'
import { baseUrlOf, type KeySet, sharedKeySet } from './key-set.ts'
import { isUnparsed, maxBodyBytes, tooLarge } from './read-body.ts'
import { triggerTypes, type Webhook } from './webhook.ts'
import { WebhookError, type WebhookErrorCode } from './webhook-error.ts'

/** The receiver. Take each value from your configuration, never from the request. */
export type Receiver = {
  /** The base URL of your Signet; a slash at its end does not matter. */
  issuer: string
  organizationId: string
  /** The URL that handles the request, exactly as registered. */
  targetUrl: string
  /** Default: a key set shared by all calls for this issuer and organization. */
  keySet?: KeySet
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** The compact form of a JWT: three parts, the last one empty when it is unsigned. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]*$/
/** Seconds that `iat` may be in the future, for clocks that differ. */
const maxAhead = 300
/** Seconds from `iat` to `exp`, which bounds how long a webhook can be replayed. */
const maxLifetime = 300

/**
 * Makes every check of 6.3 on the body of a request and returns its content. Throws a `WebhookError` with the code of the
 * first check that fails. Events may be newer than these types: have a default branch.
 */
export async function verifyWebhook(body: string | Uint8Array, receiver: Receiver): Promise<Webhook> {
  checkBody(body)
  checkReceiver(receiver)
  if (body.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
  const jwt = typeof body === 'string' ? body : new TextDecoder().decode(body)
  if (!compactForm.test(jwt)) throw malformed('body: must be a signed JWT in its compact form')
  const now = (receiver.now ?? Date.now)()
  return checkClaims(await verifySignature(jwt, receiver, now), receiver, now)
}

/** JavaScript callers may pass anything: a parsed body, the request itself, a promise of its text. */
function checkBody(body: unknown) {
  if (isUnparsed(body)) return
  const hint = 'let no parser read application/jwt, or take what it left as text or bytes'
  throw malformed(`body: must be the body of the request as it came, a string or a Uint8Array; ${hint}`)
}

/** Without its own name a receiver would refuse every webhook, so this fails at once. */
export function checkReceiver(receiver: Partial<Receiver> | undefined) {
  for (const name of ['issuer', 'organizationId', 'targetUrl'] as const)
    if (typeof receiver?.[name] !== 'string' || receiver[name] === '') throw new TypeError(`${name}: is required`)
  const { issuer = '', organizationId = '' } = receiver ?? {}
  // No keys can be fetched with these, which would look like an outage.
  if (!URL.canParse(issuer) || !/^https?:/i.test(issuer))
    throw new TypeError('issuer: must be an address such as https://id.example.com')
  if (!/^[!-~]+$/.test(organizationId)) throw new TypeError('organizationId: must be printable ASCII without blanks')
}

const malformed = (message: string) => new WebhookError('malformed', message)

/** Checks algorithm, signature and expiry. */
async function verifySignature(jwt: string, { issuer, organizationId, keySet }: Receiver, now: number) {
  const keys = keySet ?? sharedKeySet(issuer, organizationId)
  const keyOf = ({ kid }: { kid?: string }) => {
    if (typeof kid !== 'string') throw malformed('kid: is missing in the header')
    return keys.key(kid)
  }
  try {
    const { payload } = await jwtVerify(jwt, keyOf, { algorithms: ['ES256'], currentDate: new Date(now) })
    return payload
  } catch (error) {
    throw translated(error)
  }
}

/** The error of jose is not the `cause`: it holds the claims, which would then be logged with the error. */
function translated(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new WebhookError('expired', 'exp: is past')
  if (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed')
    return new WebhookError('not_yet_valid', `${error.claim}: is in the future`)
  if (error instanceof errors.JOSEAlgNotAllowed) return new WebhookError('bad_signature', 'alg: must be ES256')
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return new WebhookError('bad_signature', 'signature: is not that of the key')
  return error instanceof errors.JOSEError ? malformed('body: is not a JWT as Signet signs it') : error
}

const forms = {
  'a string': (value: unknown) => typeof value === 'string',
  'an object': (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'whole seconds since 1970': (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
}

const claimForms = [
  ['jti', 'a string'],
  ['aud', 'a string'],
  ['sub', 'a string'],
  ['iss', 'a string'],
  ['iat', 'whole seconds since 1970'],
  ['exp', 'whole seconds since 1970'],
  ['webhook_id', 'a string'],
  ['target_url', 'a string'],
  ['trigger_type', 'a string'],
  ['trigger_name', 'a string'],
  ['trigger_content', 'an object'],
] as const

function checkClaims(payload: JWTPayload, { issuer, organizationId, targetUrl }: Receiver, now: number): Webhook {
  for (const [claim, form] of claimForms) demand(forms[form](payload[claim]), 'malformed', `${claim}: must be ${form}`)
  const claims = payload as unknown as Webhook
  demand(claims.exp - claims.iat <= maxLifetime, 'malformed', 'exp: must be at most five minutes after iat')
  demand(hasItsType(claims), 'malformed', 'trigger_type: must be that of the trigger_name')
  demand(claims.iat <= now / 1000 + maxAhead, 'not_yet_valid', 'iat: is in the future')
  demand(claims.aud === organizationId, 'wrong_audience', 'aud: is not this organization')
  demand(claims.iss === baseUrlOf(issuer), 'wrong_issuer', `iss: is not ${issuer}, the issuer of this receiver`)
  demand(claims.target_url === targetUrl, 'wrong_target_url', 'target_url: is not the address of this receiver')
  return claims
}

/** The name must fit the type, so that nobody who checks only one takes a hook for an event. Unknown names may have any type. */
const hasItsType = ({ trigger_name, trigger_type }: Webhook) =>
  !Object.hasOwn(triggerTypes, trigger_name) || triggerTypes[trigger_name] === trigger_type

function demand(holds: boolean, code: WebhookErrorCode, message: string) {
  if (!holds) throw new WebhookError(code, message)
}
