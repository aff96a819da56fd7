import type { Clock } from '../clock.ts'
import type { Discover } from './connector.ts'
import type { FindKey } from './key-sets.ts'
import type { ProviderOverrides } from './overrides.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** What both steps of a sign-in stand on. */
export type Dependencies = {
  clock: Clock
  overrides: ProviderOverrides
  createFetch: () => ProviderFetch
  discover: Discover
  findKey: FindKey
}
