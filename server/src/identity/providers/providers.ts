import type { EgressClient } from '../../ground/outbound/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import type { Credential, Provider } from '../credentials/index.ts'
import { type Accounts, accountsAt } from './accounts.ts'
import { beginUpstream } from './begin-upstream.ts'
import type { ProviderOverride } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { type Diagnosis, diagnose } from './diagnose.ts'
import { createDiscover } from './discovery.ts'
import type { ProviderFailure } from './failure.ts'
import { finishUpstream } from './finish-upstream.ts'
import { createFindKey } from './key-sets.ts'
import { nameIdentity } from './name-identity.ts'
import { type ProviderOverrides, trustedOrigins } from './overrides.ts'
import { createProviderFetch } from './provider-fetch.ts'
import { connectors } from './registry.ts'

export type Providers = {
  beginUpstream(request: Parameters<typeof beginUpstream>[0]): ReturnType<typeof beginUpstream>
  finishUpstream(request: Parameters<typeof finishUpstream>[0]): ReturnType<typeof finishUpstream>
  nameIdentity(named: Parameters<typeof nameIdentity>[0]): ReturnType<typeof nameIdentity>
  accountsAt(credential: Credential): Promise<Accounts | undefined>
  /** Says what to mend. */
  diagnose(failure: ProviderFailure, credential: Credential): Diagnosis
  close(): Promise<void>
}

type Options = {
  createEgressClient: (trustedOrigins: ReadonlySet<string>) => EgressClient
  clock: Clock
  overrides: ProviderOverrides
}

/**
 * Caches and trusted origins are shared by all organizations, but not by two providers: what the operator sets for one is
 * trusted for that one only, and an organization's own server (Okta) cannot reach it.
 */
export function createProviders({ createEgressClient, clock, overrides }: Options): Providers {
  const publicEgress = createEgressClient(new Set())
  const egressClients = [publicEgress]
  const egressFor = (trusted: ReadonlySet<string>) => {
    if (trusted.size === 0) return publicEgress
    const egress = createEgressClient(trusted)
    egressClients.push(egress)
    return egress
  }
  const createDependencies = (override: ProviderOverride = {}): Dependencies => {
    const trusted = trustedOrigins(override)
    const egress = egressFor(trusted)
    return {
      clock,
      override,
      createFetch: ({ id: credentialId }) =>
        createProviderFetch({ egress, clock, trustedOrigins: trusted, credentialId }),
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
    nameIdentity: (named) => nameIdentity(named, dependenciesOf(named.credential.provider)),
    accountsAt: (credential) => accountsAt(credential, dependenciesOf(credential.provider)),
    diagnose: (failure, credential) => diagnose(failure, credential, dependenciesOf(credential.provider).override),
    close: async () => void (await Promise.all(egressClients.map((egress) => egress.close()))),
  }
}
