import type { Clock } from '../clock.ts'
import type { Door } from '../outbound/index.ts'
import { beginUpstream } from './begin-upstream.ts'
import type { Dependencies } from './dependencies.ts'
import { createDiscover } from './discovery.ts'
import { finishUpstream } from './finish-upstream.ts'
import { createFindKey } from './key-sets.ts'
import { type ProviderOverrides, trustedOrigins } from './overrides.ts'
import { createProviderFetch } from './provider-fetch.ts'

export type Providers = {
  beginUpstream(given: Parameters<typeof beginUpstream>[0]): ReturnType<typeof beginUpstream>
  finishUpstream(given: Parameters<typeof finishUpstream>[0]): ReturnType<typeof finishUpstream>
}

/** `door` was opened with the trusted origins of these overrides, and makes no other calls. Everything kept is shared by all organizations. */
export function createProviders(given: { door: Door; clock: Clock; overrides: ProviderOverrides }): Providers {
  const { door, clock, overrides } = given
  const trusted = trustedOrigins(overrides)
  const dependencies: Dependencies = {
    clock,
    overrides,
    createFetch: () => createProviderFetch({ door, clock, trustedOrigins: trusted }),
    discover: createDiscover(clock, trusted),
    findKey: createFindKey(clock),
  }
  return {
    beginUpstream: (request) => beginUpstream(request, dependencies),
    finishUpstream: (request) => finishUpstream(request, dependencies),
  }
}
