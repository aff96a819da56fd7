import { errors, type JWTPayload, jwtVerify } from 'jose'
import { type KeySet, sharedKeySet } from './key-set.ts'
import { maxBodyBytes, tooLarge } from './read-body.ts'
import { triggerTypes, type Webhook } from './webhook.ts'
import { WebhookError, type WebhookErrorCode } from './webhook-error.ts'

/** Who receives. Each from your configuration, never from the request. */
export type Receiver = {
  /** The base URL of your Signet, letter for letter. */
  issuer: string
  organizationId: string
  /** The URL that handles the request, letter for letter as it was registered. */
  targetUrl: string
  /** Other than the one that all calls for this issuer and organization share. */
  keySet?: KeySet
  /** Milliseconds since the epoch. */
  now?: () => number
}

/** The compact form of a signed JWT: three parts, the last one empty where nothing is signed. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]*$/
/** Seconds: what is signed for a time further ahead was not signed just now, however wrong the clocks are. */
const maxAhead = 300
/** Seconds from `iat` to `exp`. What lives longer could be sent again for longer. */
const maxLifetime = 300

/**
 * Makes every check of 6.3 on the body of a request, and gives what it says. Throws a `WebhookError` with the code of the
 * first check that fails. The name of an event may be newer than the types know: have a default branch.
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

/** JavaScript lets anything through: what a parser has made of a body, the request itself, a promise of its text. */
function checkBody(body: unknown) {
  if (typeof body === 'string' || body instanceof Uint8Array) return
  const hint = 'let no parser read application/jwt, or take what it left as text or bytes'
  throw malformed(`body: must be the body of the request as it came, a string or a Uint8Array; ${hint}`)
}

/** A receiver without its own name would refuse everything, one by one; better not at all. */
export function checkReceiver(receiver: Partial<Receiver> | undefined) {
  for (const name of ['issuer', 'organizationId', 'targetUrl'] as const)
    if (typeof receiver?.[name] !== 'string' || receiver[name] === '') throw new TypeError(`${name}: is required`)
}

const malformed = (message: string) => new WebhookError('malformed', message)

/** The algorithm, the signature, and that it is not expired. */
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

/** Without the error of jose as its cause: that one holds the claims, and would take them to wherever errors are logged. */
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
  demand(claims.iss === issuer, 'wrong_issuer', 'iss: is not the base URL of this Signet')
  demand(claims.target_url === targetUrl, 'wrong_target_url', 'target_url: is not the address of this receiver')
  return claims
}

/** Whoever goes by one of the two must not take a hook for an event. A name that is newer than the types may have any. */
const hasItsType = ({ trigger_name, trigger_type }: Webhook) =>
  !Object.hasOwn(triggerTypes, trigger_name) || triggerTypes[trigger_name] === trigger_type

function demand(holds: boolean, code: WebhookErrorCode, message: string) {
  if (!holds) throw new WebhookError(code, message)
}
