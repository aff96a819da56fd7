import type { Clock } from '../clock.ts'
import { makeId } from '../identifiers.ts'
import type { Sign } from '../keys/index.ts'
import type { Call, Door, Outcome } from '../outbound/index.ts'

/** Seconds (6.3, `exp`). */
const tokenLifetime = 300

/** What is the same in every attempt. */
type Invocation = {
  organizationId: string
  webhookId: string
  triggerType: 'event' | 'sync_hook'
  triggerName: string
  /** What the trigger fired for: an event, or a hook run. */
  sub: string
  /** The trigger's content, as JSON text. */
  content: string
}

/** What each attempt is made with; `sign` signs for the invocation's organization. */
export type Means = Pick<Call, 'headers' | 'timeoutMs' | 'keepAnswerBytes' | 'needsBody'> & {
  targetUrl: string
  sign: Sign
}

export type Attempt = {
  jti: string
  startedAt: number
  jwt: string
  outcome: Outcome
}

type Dependencies = { clock: Clock; door: Door; baseUrl: string }

/** An attempt whose request is handed over. */
type Begun = Omit<Attempt, 'outcome'> & { outcome: Promise<Outcome> }

/**
 * Signs and sends once; every attempt is signed anew (6.3, `jti`, `iat`, `exp`). Undefined, and nothing sent, when the
 * key was looked up too long ago: it may have been withdrawn since.
 */
export function beginAttempt(
  invocation: Invocation,
  { sign, targetUrl, headers, ...limits }: Means,
  { clock, door, baseUrl }: Dependencies,
): Begun | undefined {
  const startedAt = clock.now()
  const jti = makeId(startedAt)
  const claims = claimsOf(invocation, targetUrl, { iss: baseUrl, jti, iat: Math.floor(startedAt / 1000) })
  const jwt = sign(claims, { trigger_content: invocation.content })
  if (jwt === undefined) return undefined
  const lines = [...headers, 'content-type', 'application/jwt']
  const outcome = door.post({ url: targetUrl, headers: lines, body: jwt, ...limits })
  return { jti, startedAt, jwt, outcome }
}

/** All of 6.3 but `trigger_content`. */
const claimsOf = (
  { organizationId, sub, webhookId, triggerType, triggerName }: Invocation,
  targetUrl: string,
  { iss, jti, iat }: { iss: string; jti: string; iat: number },
) => ({
  jti,
  aud: organizationId,
  sub,
  iss,
  iat,
  exp: iat + tokenLifetime,
  webhook_id: webhookId,
  target_url: targetUrl,
  trigger_type: triggerType,
  trigger_name: triggerName,
})
