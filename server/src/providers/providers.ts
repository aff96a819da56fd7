import type { Provider } from '../credentials/index.ts'
import type { Door } from '../outbound/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { beginUpstream } from './begin-upstream.ts'
import type { ProviderOverride } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { createDiscover } from './discovery.ts'
import { finishUpstream } from './finish-upstream.ts'
import { createFindKey } from './key-sets.ts'
import { type ProviderOverrides, trustedOrigins } from './overrides.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { connectors } from './registry.ts'

export type Providers = {
  beginUpstream(request: Parameters<typeof beginUpstream>[0]): ReturnType<typeof beginUpstream>
  finishUpstream(request: Parameters<typeof finishUpstream>[0]): ReturnType<typeof finishUpstream>
  close(): Promise<void>
}

type Options = { openDoor: (trustedOrigins: ReadonlySet<string>) => Door; clock: Clock; overrides: ProviderOverrides }

/**
 * Caches and trusted origins are shared by all organizations, but not by two providers: what the operator sets for one is
 * trusted for that one only, and an organization's own server (Okta) cannot reach it.
 */
export function createProviders({ openDoor, clock, overrides }: Options): Providers {
  const publicDoor = openDoor(new Set())
  const doors = [publicDoor]
  const openDoorTo = (trusted: ReadonlySet<string>) => {
    if (trusted.size === 0) return publicDoor
    const door = openDoor(trusted)
    doors.push(door)
    return door
  }
  const createDependencies = (override: ProviderOverride = {}): Dependencies => {
    const trusted = trustedOrigins(override)
    const door = openDoorTo(trusted)
    return {
      clock,
      override,
      createFetch: () => createProviderFetch({ door, clock, trustedOrigins: trusted }),
      discover: createDiscover(clock, trusted),
      findKey: createFindKey(clock),
    }
  }
  const names = Object.keys(connectors) as Provider[]
  const dependencies = new Map(names.map((provider) => [provider, createDependencies(overrides[provider])]))
  const dependenciesOf = (provider: Provider) => dependencies.get(provider) as Dependencies
  return {
    beginUpstream: (request) => beginUpstream(request, dependenciesOf(request.credential.provider)),
    finishUpstream: (request) => finishUpstream(request, dependenciesOf(request.credential.provider)),
    close: async () => void (await Promise.all(doors.map((door) => door.close()))),
  }
}
