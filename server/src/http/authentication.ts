import type { FastifyRequest } from 'fastify'
import { badRequest, keyExpired, keyNotValid, keyRequired, notFound, operatorKeyNotValid } from '../errors.ts'
import { isUuid } from '../runtime/identifiers.ts'
import type { Access, Key, Operation } from './operation.ts'
import { requireScopes } from './require-scopes.ts'

export type Authentication = {
  /** Undefined: not valid for any other reason. */
  authenticateKey(organizationId: string, apiKey: string): Promise<Key | 'expired' | undefined>
  /** Still true for some time after its deletion. */
  organizationExists(organizationId: string): Promise<boolean>
  isOperatorKey(key: string): boolean
}

/** Reads the organization that the request claims; `authenticate` verifies the claim. */
export function identify(request: FastifyRequest, access: Access) {
  if (access === 'operator' || access === 'link') return
  if (access === 'organization_in_path') {
    const { id } = request.params as { id: string }
    if (!isUuid(id)) throw notFound('organization')
    request.organizationId = id.toLowerCase()
    return
  }
  const organizationId = request.headers['service-orgid']
  if (organizationId === undefined) throw badRequest('Service-OrgID: is required')
  if (typeof organizationId !== 'string' || !isUuid(organizationId)) throw badRequest('Service-OrgID: must be a UUID')
  request.organizationId = organizationId.toLowerCase()
}

/** `onUnknown` is called where there is no organization whose rate limit the call could count against. */
export async function authenticate(
  request: FastifyRequest,
  operation: Operation,
  { authentication, onUnknown }: { authentication: Authentication; onUnknown: () => void },
) {
  const { organizationId, headers } = request
  if (operation.access === 'link') return
  if (isAnonymous(operation)) {
    if (await authentication.organizationExists(organizationId)) return
    onUnknown()
    throw notFound('organization')
  } else if (operation.access === 'operator') {
    if (!authentication.isOperatorKey(requiredHeader(headers, 'Service-Operator-Key'))) throw operatorKeyNotValid()
  } else {
    const key = await authentication.authenticateKey(organizationId, requiredHeader(headers, 'Service-API-Key'))
    if (!key) throw keyNotValid()
    if (key === 'expired') throw keyExpired()
    requireScopes(key, operation)
    request.key = key
  }
}

/** Anybody may call it, without a key. */
export const isAnonymous = ({ access }: Pick<Operation, 'access'>) => access !== 'key' && access !== 'operator'

function requiredHeader(headers: FastifyRequest['headers'], name: string): string {
  const key = headers[name.toLowerCase()]
  if (typeof key !== 'string' || key === '') throw keyRequired(name)
  return key
}
