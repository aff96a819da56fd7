import type { Provider } from '../credentials/index.ts'
import type { EgressClient } from '../outbound/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { beginUpstream } from './begin-upstream.ts'
import type { Dependencies } from './dependencies.ts'
import { createDiscover } from './discovery.ts'
import { finishUpstream } from './finish-upstream.ts'
import { createFindKey } from './key-sets.ts'
import { type ProviderOverride, type ProviderOverrides, trustedOrigins } from './overrides.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { connectors } from './registry.ts'

export type Providers = {
  beginUpstream(given: Parameters<typeof beginUpstream>[0]): ReturnType<typeof beginUpstream>
  finishUpstream(given: Parameters<typeof finishUpstream>[0]): ReturnType<typeof finishUpstream>
  close(): Promise<void>
}

type Given = {
  createEgressClient: (trustedOrigins: ReadonlySet<string>) => EgressClient
  clock: Clock
  overrides: ProviderOverrides
}

/**
 * Everything kept is shared by all organizations, and by no two providers: what the operator says of one is trusted for that
 * one alone, and an organization's own (Okta) cannot reach it.
 */
export function createProviders({ createEgressClient, clock, overrides }: Given): Providers {
  const publicEgress = createEgressClient(new Set())
  const egressClients = [publicEgress]
  const egressFor = (trusted: ReadonlySet<string>) => {
    if (trusted.size === 0) return publicEgress
    const egress = createEgressClient(trusted)
    egressClients.push(egress)
    return egress
  }
  const reach = (override: ProviderOverride = {}): Dependencies => {
    const trusted = trustedOrigins(override)
    const egress = egressFor(trusted)
    return {
      clock,
      override,
      createFetch: () => createProviderFetch({ egress, clock, trustedOrigins: trusted }),
      discover: createDiscover(clock, trusted),
      findKey: createFindKey(clock),
    }
  }
  const names = Object.keys(connectors) as Provider[]
  const reached = new Map(names.map((provider) => [provider, reach(overrides[provider])]))
  const dependenciesOf = (provider: Provider) => reached.get(provider) as Dependencies
  return {
    beginUpstream: (request) => beginUpstream(request, dependenciesOf(request.credential.provider)),
    finishUpstream: (request) => finishUpstream(request, dependenciesOf(request.credential.provider)),
    close: async () => void (await Promise.all(egressClients.map((egress) => egress.close()))),
  }
}
