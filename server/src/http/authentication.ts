import type { FastifyRequest } from 'fastify'
import { badRequest, notFound, readOnlyKey, unauthorized } from '../errors.ts'
import { isUuid } from '../identifiers.ts'
import { type Access, type Limits, type Operation, writes } from './operation.ts'

/** An API key that was accepted. */
export type Key = { keyId: string; readOnly: boolean; limits: Limits }

/** What the shell needs to know of keys. `undefined`: not valid, for whatever reason. */
export type Authentication = {
  authenticateKey(organizationId: string, apiKey: string): Promise<Key | undefined>
  /** Also for some time after it was deleted. */
  organizationExists(organizationId: string): Promise<boolean>
  isOperatorKey(key: string): boolean
}

/** For which organization the request says that it comes; whether that is so, `authenticate` finds out. */
export function identify(request: FastifyRequest, access: Access) {
  if (access === 'operator') return
  const organizationId = request.headers['service-orgid']
  if (organizationId === undefined) throw badRequest('Service-OrgID: is required')
  if (typeof organizationId !== 'string' || !isUuid(organizationId)) throw badRequest('Service-OrgID: must be a UUID')
  request.organizationId = organizationId.toLowerCase()
}

export async function authenticate(request: FastifyRequest, operation: Operation, authentication: Authentication) {
  const { organizationId, headers } = request
  if (operation.access === 'organization') {
    if (!(await authentication.organizationExists(organizationId))) throw notFound('organization')
  } else if (operation.access === 'operator') {
    if (!authentication.isOperatorKey(String(headers['service-operator-key'] ?? ''))) throw unauthorized()
  } else {
    const key = await authentication.authenticateKey(organizationId, String(headers['service-api-key'] ?? ''))
    if (!key) throw unauthorized()
    if (key.readOnly && writes(operation)) throw readOnlyKey()
    request.key = key
  }
}
