import type { Clock } from '../runtime/clock.ts'
import type { Discover } from './connector.ts'
import type { FindKey } from './key-sets.ts'
import type { ProviderOverride } from './overrides.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** What both steps of a sign-in stand on, for one provider. */
export type Dependencies = {
  clock: Clock
  override: ProviderOverride
  createFetch: () => ProviderFetch
  discover: Discover
  findKey: FindKey
}
