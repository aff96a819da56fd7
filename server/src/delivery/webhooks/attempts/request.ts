import { type Signer, toPayload, type Unsigned } from '../../../ground/keys/index.ts'
import type { OutboundRequest } from '../../../ground/outbound/index.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'

/** What an attempt is made with; `signer` is that of the invocation's organization. */
export type AttemptInput = Pick<OutboundRequest, 'headers' | 'timeoutMs' | 'keepBodyBytes' | 'needsBody'> & {
  targetUrl: string
  signer: Signer
}

/** The request of an attempt, without its body, the token (6.2, rule 1). */
export const toOutboundRequest = ({ targetUrl, headers, ...limits }: Omit<AttemptInput, 'signer'>) => ({
  url: targetUrl,
  headers: [...headers, 'content-type', 'application/jwt'],
  ...limits,
})

/** A custom header of that name stays the only one: it belongs to a trace of the webhook's owner. */
export const hasOwnTraceparent = (headers: string[]): boolean =>
  headers.some((text, at) => at % 2 === 0 && text.toLowerCase() === 'traceparent')

/** The log has them with each attempt: a webhook may have sixteen times as much, and a thousand deliveries of one event. */
const maxNamesLength = 1_024

/**
 * What attempts on one webhook send alike, as the log keeps it: the id of the key, the target and the first names of the custom
 * headers, with spaces between, which none of them contains. `iat` comes before it; all else follows from the delivery.
 */
export const sentAlike = ({ signer, targetUrl, headers }: Pick<AttemptInput, 'signer' | 'targetUrl' | 'headers'>) =>
  [signer.key.kid, targetUrl, ...firstNames(headers.filter((_, at) => at % 2 === 0))].join(' ')

function firstNames(names: string[]): string[] {
  let length = 0
  const end = names.findIndex((name) => {
    length += name.length + 1
    return length > maxNamesLength
  })
  return end < 0 ? names : names.slice(0, end)
}

/** Seconds (6.3, `exp`). */
const tokenLifetime = 300

/** What is the same in every attempt. */
export type Invocation = {
  organizationId: string
  webhookId: string
  triggerType: 'event' | 'sync_hook'
  triggerName: string
  /** The event, or the hook run. */
  sub: string
  /** The trigger's content, as JSON text. */
  content: string
  targetUrl: string
}

type Dependencies = { clock: Clock; baseUrl: string }

/** The token of one attempt, still to be signed: each has its own (6.3, `jti`, `iat`, `exp`). */
export function makeToken(
  { content, ...invocation }: Invocation,
  { key }: Signer,
  { clock, baseUrl }: Dependencies,
): Unsigned & { jti: string; iat: number } {
  const now = clock.now()
  const jti = makeId(now)
  const iat = Math.floor(now / 1000)
  const claims = claimsOf(invocation, { iss: baseUrl, jti, iat })
  return { jti, iat, key, payload: toPayload(claims, { trigger_content: content }) }
}

/** All of 6.3 but `trigger_content`. */
export const claimsOf = (
  { organizationId, sub, webhookId, triggerType, triggerName, targetUrl }: Omit<Invocation, 'content'>,
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
