import { toPayload } from '../../ground/keys/index.ts'
import type { OutboundRequest, Outcome } from '../../ground/outbound/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import type { Logout } from './logout.ts'

/** The claim that makes a JWT a logout token (Back-Channel Logout 1.0, 2.4). */
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
/** Seconds. An application that knows each `jti` for so long is told nothing twice. */
const tokenLifetime = 120

/** The claims that differ from one logout to another, as they are stored. */
export const contentOf = ({ subject, sid }: Logout) => ({
  ...(subject !== undefined && { sub: subject }),
  ...(sid !== undefined && { sid }),
})
export type LogoutContent = ReturnType<typeof contentOf>

type Addressed = { issuer: string; clientId: string }

/** `content`: JSON text. The payload of one attempt's token: each has its own `jti`, `iat` and `exp`. */
export function makeLogoutToken(content: string, addressed: Addressed, clock: Clock) {
  const now = clock.now()
  const jti = makeId(now)
  const iat = Math.floor(now / 1000)
  return { jti, iat, payload: toPayload(logoutClaims(JSON.parse(content), addressed, { jti, iat })) }
}

/** There is never a `nonce`: so no logout token passes for an ID token. */
export const logoutClaims = (
  content: LogoutContent,
  { issuer, clientId }: Addressed,
  { jti, iat }: { jti: string; iat: number },
) => ({ iss: issuer, aud: clientId, iat, exp: iat + tokenLifetime, jti, events, ...content })

/** The request of an attempt, without its body: `bodyStart` and the token. */
export const toLogoutRequest = (limits: Pick<OutboundRequest, 'url' | 'timeoutMs' | 'keepBodyBytes'>) => ({
  ...limits,
  headers: ['content-type', 'application/x-www-form-urlencoded'],
})
export const bodyStart = 'logout_token='

/** It says that the application has refused the token, and would refuse the next one (2.8). */
export const refusalStatus = 400
export const isRefused = (outcome: Outcome): boolean => outcome.kind === 'answered' && outcome.status === refusalStatus
