/**
 * Providers: how a person is recognised by each of the eight identity providers.
 *
 * Owns: where each provider is and what is different about it (one connector each, chosen in `registry.ts`), the request
 * that the browser is sent with, every check of what comes back, which e-mail addresses a provider vouches for, the word
 * that a failure has, and what is kept of discovery documents and key sets. No routes, no tables.
 *
 * Leaves to `credentials` clients, secrets and options; to `outbound` the network; to `sign-in` the flow: it keeps what
 * `beginUpstream` gave, bound to the browser, uses it once, and calls with the credential that the callback names.
 */
export type { Expected } from './begin-upstream.ts'
export type { UpstreamIdentity } from './connector.ts'
export { ProviderFailure, type ProviderFailureWord } from './failure.ts'
export { type ProviderOverrides, parseProviderOverrides } from './overrides.ts'
export { createProviders, type Providers } from './providers.ts'
