/**
 * Logout tokens: how an application hears that a session of a person has ended (OpenID Connect Back-Channel Logout 1.0).
 *
 * Owns: to which applications they go.
 * Leaves to its callers who hears of what: they call it in the transaction that ends the session.
 */
export { enqueueLogouts, type Logout } from './enqueue-logouts.ts'
