import type { Clock } from '../../ground/runtime/clock.ts'
import type { Credential } from '../credentials/index.ts'
import type { Discover, ProviderOverride } from './connector.ts'
import type { FindKey } from './key-sets.ts'
import type { ProviderFetch } from './provider-fetch.ts'

/** Of one provider, for both steps of a sign-in. */
export type Dependencies = {
  clock: Clock
  override: ProviderOverride
  createFetch: (credential: Pick<Credential, 'id'>) => ProviderFetch
  discover: Discover
  findKey: FindKey
}
