import { type Algorithm, keyTypes, type SafeAlgorithm } from './algorithms.ts'
import type { IdTokenRules, ProviderOverride, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'

const isSafe = (name: string): name is SafeAlgorithm => Object.hasOwn(keyTypes, name)

/** Throws a `ProviderFailure` where the server signs by none that is safe: at the test sign-in, not at the first person. */
export function acceptedAlgorithms(
  rules: IdTokenRules,
  server: Server,
  override: ProviderOverride,
): readonly Algorithm[] {
  if (!rules.areDiscovered?.(override)) return rules.algorithms
  const { id_token_signing_alg_values_supported: listed } = server
  const safe = listed ? listed.filter(isSafe) : rules.algorithms
  if (safe.length > 0) return safe
  const problem = 'signs ID tokens by no algorithm that is accepted'
  throw new ProviderFailure('credential_misconfigured', 'discovery', problem, { reason: 'no_safe_algorithm' })
}
