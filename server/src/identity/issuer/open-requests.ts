import { hostCookieName } from '../../ground/http/chain/host-cookie.ts'

/** The cookie of each request that waits for its person, and that of the flow which is under way for it. */
export const interactionPrefix = 'signet-interaction-'
export const flowPrefix = 'signet-flow-'

/** Requests that a browser has open at once; a person who opens more has left the oldest. */
const maxOpenRequests = 20
/**
 * Of all our cookies in one browser: nginx and Apache read 8 KB of a request's cookies, and the applications of the host have some.
 */
const maxBytes = 6_000
/** Both cookies of a request, over https, as a browser sends them. */
const bytesOfRequest = 267
/** The cookie of the session that a request ends with. */
const bytesOfSession = 105

/** How many requests this browser may have open: fewer than twenty where its sessions at many organizations take the space. */
export function openRequestsOf(header: string | undefined, isSecure: boolean): number {
  const [ours, ...ofRequests] = ['signet-', interactionPrefix, flowPrefix].map((name) => hostCookieName(name, isSecure))
  const others = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(String(ours)) && !ofRequests.some((prefix) => pair.startsWith(prefix)))
  const bytes = others.reduce((sum, pair) => sum + pair.length + 2, bytesOfSession)
  return Math.max(1, Math.min(maxOpenRequests, Math.floor((maxBytes - bytes) / bytesOfRequest)))
}
