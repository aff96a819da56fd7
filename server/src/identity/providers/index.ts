/**
 * Providers: how a person is recognised by each of the eight identity providers, and by a customer's own.
 *
 * Owns: the addresses of each provider and its differences (one connector each, chosen in `registry.ts`), the authorization
 * request, every check of the callback and the responses, what each says of a person, which e-mail addresses it vouches for, the code of each
 * failure and what to mend after it, and the caches of discovery documents and key sets. No routes, no tables.
 *
 * Leaves to `credentials` clients, secrets and options; to `outbound` the network; to `sign-in` the flow, which stores what
 * `beginUpstream` gives, bound to the browser, consumes it once, and finishes with the credential of the callback.
 */
export type { Expected } from './begin-upstream.ts'
export type { UpstreamIdentity } from './connector.ts'
export { type Diagnosis, type SignInStep, signInSteps, stepsOf } from './diagnose.ts'
export { ProviderFailure, providerFailureCodes } from './failure.ts'
export { type ProviderOverrides, parseProviderOverrides } from './overrides.ts'
export type { Profile } from './profile.ts'
export { createProviders, type Providers } from './providers.ts'
