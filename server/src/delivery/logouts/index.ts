/**
 * Logout tokens: how an application hears that a session of a person has ended (OpenID Connect Back-Channel Logout 1.0).
 *
 * Owns: the claims of the token, the request that carries it, when it is tried again, and what counts as refused. No routes and no tables.
 * Leaves to its callers who hears of what: they call `EnqueueLogouts` in the transaction that ends the session. To `queue` the deliveries,
 * to `log` what became of them, and to `issuer` where an application is called and with which key.
 */
export type { EnqueueLogouts, LoadLogoutTargets, Logout, LogoutTarget } from './logout.ts'
export { logoutTrigger } from './logout.ts'
export { nextLogoutAttempt } from './logout-schedule.ts'
export {
  bodyStart,
  contentOf,
  isRefused,
  type LogoutContent,
  logoutClaims,
  makeLogoutToken,
  refusalStatus,
  toLogoutRequest,
} from './logout-token.ts'
