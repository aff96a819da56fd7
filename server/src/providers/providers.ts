import type { Provider } from '../credentials/index.ts'
import type { Door } from '../outbound/index.ts'
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

type Given = { openDoor: (trustedOrigins: ReadonlySet<string>) => Door; clock: Clock; overrides: ProviderOverrides }

/**
 * Everything kept is shared by all organizations, and by no two providers: what the operator says of one is trusted for that
 * one alone, and an organization's own (Okta) cannot reach it.
 */
export function createProviders({ openDoor, clock, overrides }: Given): Providers {
  const publicDoor = openDoor(new Set())
  const doors = [publicDoor]
  const openDoorTo = (trusted: ReadonlySet<string>) => {
    if (trusted.size === 0) return publicDoor
    const door = openDoor(trusted)
    doors.push(door)
    return door
  }
  const reach = (override: ProviderOverride = {}): Dependencies => {
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
  const reached = new Map(names.map((provider) => [provider, reach(overrides[provider])]))
  const dependenciesOf = (provider: Provider) => reached.get(provider) as Dependencies
  return {
    beginUpstream: (request) => beginUpstream(request, dependenciesOf(request.credential.provider)),
    finishUpstream: (request) => finishUpstream(request, dependenciesOf(request.credential.provider)),
    close: async () => void (await Promise.all(doors.map((door) => door.close()))),
  }
}
