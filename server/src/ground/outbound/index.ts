/**
 * The egress client: every HTTP request that Signet sends. Owns which addresses may be reached (checked on the connection
 * that is made, so that a name cannot resolve differently afterwards), name look-up, TLS, one deadline per request, limits
 * on what is read, idle connections, and which responses are a success. It follows no redirect, and repeats a request only
 * where the idle connection that was reused for it had died.
 *
 * Has no routes and no tables. Leaves to its callers what is sent and what follows from an outcome, and to
 * `webhooks` which URLs may be registered at all.
 */
export { createAddressSet, parseCidrs } from './addresses.ts'
export { createEgressClient, type EgressClient, type EgressOptions } from './egress-client.ts'
export { publicErrors, toPublicError } from './request-error.ts'
export { sentHeaderNames } from './request-head.ts'
export { parseResolveOverrides, type ResolveOverrides } from './resolve-overrides.ts'
export { isSuccess, type OutboundRequest, type Outcome } from './send-request.ts'
