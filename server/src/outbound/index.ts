/**
 * The one egress client to the internet. Owns what is called and how: which addresses may be reached (checked on the connection
 * that is made, so that a name cannot lead elsewhere afterwards), name look-up, TLS, one deadline for each call, bounds
 * on what is read, connections kept for the next call, and which answers are a success. It follows no redirect, and sends a
 * request once more only where the connection that was kept for it had died.
 *
 * Has no routes and no tables. Leaves to its callers what is sent and what follows from an outcome, and to
 * `webhooks` which URLs may be registered at all.
 */
export { createAddressSet, parseCidrs } from './addresses.ts'
export { createEgressClient, type EgressClient, type EgressOptions } from './egress-client.ts'
export { isSuccess, type ShownOutcome } from './outcome.ts'
export { toPublicError } from './request-error.ts'
export { parseResolveOverrides, type ResolveOverrides } from './resolve-overrides.ts'
export type { OutboundRequest, Outcome } from './send-request.ts'
