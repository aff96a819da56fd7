import type { FastifyRequest } from 'fastify'
import {
  badRequest,
  keyExpired,
  keyNotValid,
  keyRequired,
  notFound,
  operatorKeyNotValid,
  readOnlyKey,
} from '../errors.ts'
import { isUuid } from '../runtime/identifiers.ts'
import { type Access, type Limits, type Operation, writes } from './operation.ts'

/** An API key that was accepted. */
export type Key = { keyId: string; readOnly: boolean; limits: Limits }

/** What the shell needs to know of keys. */
export type Authentication = {
  /** Undefined: not valid, for whatever other reason. */
  authenticateKey(organizationId: string, apiKey: string): Promise<Key | 'expired' | undefined>
  /** Also for some time after it was deleted. */
  organizationExists(organizationId: string): Promise<boolean>
  isOperatorKey(key: string): boolean
}

/** For which organization the request says that it comes; whether that is so, `authenticate` finds out. */
export function identify(request: FastifyRequest, access: Access) {
  if (access === 'operator') return
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

/** `onUnknown`: nobody was there whose rate the call could count against. */
export async function authenticate(
  request: FastifyRequest,
  operation: Operation,
  { authentication, onUnknown }: { authentication: Authentication; onUnknown: () => void },
) {
  const { organizationId, headers } = request
  if (isAnonymous(operation)) {
    if (await authentication.organizationExists(organizationId)) return
    onUnknown()
    throw notFound('organization')
  } else if (operation.access === 'operator') {
    if (!authentication.isOperatorKey(given(headers, 'Service-Operator-Key'))) throw operatorKeyNotValid()
  } else {
    const key = await authentication.authenticateKey(organizationId, given(headers, 'Service-API-Key'))
    if (!key) throw keyNotValid()
    if (key === 'expired') throw keyExpired()
    if (key.readOnly && writes(operation)) throw readOnlyKey()
    request.key = key
  }
}

/** Anybody may call it: it asks for no key. */
export const isAnonymous = ({ access }: Pick<Operation, 'access'>) =>
  access === 'organization' || access === 'organization_in_path'

function given(headers: FastifyRequest['headers'], name: string): string {
  const key = headers[name.toLowerCase()]
  if (typeof key !== 'string' || key === '') throw keyRequired(name)
  return key
}
