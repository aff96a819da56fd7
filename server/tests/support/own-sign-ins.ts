import type { Service } from './service.ts'
import { type SignIns, startSignIns, type Tenant } from './sign-ins.ts'
import { otherClient } from './upstreams.ts'

/** A service with sign-ins of a test file's own, and a tenant of each test. */
export let signIns: SignIns
export let service: Service
export let tenant: Tenant

export const openSignIns = () => openSignInsAt()

/** With further addresses of providers. */
export async function openSignInsAt(moreProviders?: Parameters<typeof startSignIns>[0]) {
  signIns = await startSignIns(moreProviders)
  service = signIns.service
}

export const closeSignIns = () => signIns?.stop()

export async function newTenant(fields: object = {}) {
  tenant = await signIns.tenant(fields)
}

export const callback = /\/sso\/callback\//
/** A second client, which a credential may be made of. */
export const other = { client_id: otherClient.clientId, client_secret: otherClient.clientSecret }
export const as = (method: string, path: string, body?: unknown) => service.as(tenant.organization, method, path, body)
