import { expect, test } from 'vitest'
import { credentialOf, oid, tenant } from '../../../tests/support/own-providers.ts'
import type { Credential, Provider } from '../credentials/index.ts'
import type { ProviderOverride, Server } from './connector.ts'
import type { Dependencies } from './dependencies.ts'
import { nameIdentity } from './name-identity.ts'

/** Only the tenant of the domain contoso.example can be asked for. */
const dependencies = (override: ProviderOverride = {}) =>
  ({
    override,
    createFetch: () => {
      throw new Error('nobody is to be asked')
    },
    discover: async (issuer: string) =>
      ({ issuer: issuer.replace('contoso.example', tenant) }) satisfies Partial<Server> as Server,
  }) as unknown as Dependencies

const nameAt = (provider: Provider, subject: string, options: Partial<Credential> = {}) =>
  nameIdentity(
    { credential: credentialOf(provider, options), subject },
    { ...dependencies(), createFetch: () => (() => {}) as never },
  )

test.each<[Provider, string]>([
  ['provider_a', 'https://accounts.google.com'],
  ['provider_b', 'https://github.com/login/oauth'],
  ['provider_f', 'https://access.line.me'],
  ['provider_h', 'https://acme.okta.example'],
])('An identity at %s has the issuer that a sign-in finds, and nobody is asked', async (provider, issuer) => {
  expect(await nameAt(provider, '117')).toEqual({ issuer, subject: '117' })
})

const ofTenant = { issuer: `https://login.microsoftonline.com/${tenant}/v2.0`, subject: `${tenant}:${oid}` }

test.each([
  ['of many tenants, by tenant and object', { tenant: 'common' }, `${tenant}:${oid}`],
  ['of a tenant by its GUID', { tenant }, oid],
  ['of a tenant by its GUID, named again', { tenant }, `${tenant}:${oid}`],
  ['of a domain that was looked up', { tenant: 'contoso.example', issuer: ofTenant.issuer }, oid],
  ['of a domain that was not', { tenant: 'contoso.example' }, `${tenant}:${oid}`],
])('An identity at Entra %s is that of a sign-in', async (_, options, subject) => {
  expect(await nameAt('provider_g', subject, options)).toEqual(ofTenant)
})
