import type { FastifyRequest } from 'fastify'
import {
  badRequest,
  keyExpired,
  keyNotValid,
  keyRequired,
  notFound,
  operatorKeyNotValid,
  signInNotRecent,
} from '../../errors.ts'
import { isUuid } from '../../runtime/identifiers.ts'
import type { Access, Operation, Principal } from './operation.ts'
import { requireScopes } from './require-scopes.ts'

export type Authentication = {
  /** Undefined: not valid for any other reason. Throws a 423 where the organization has moved, or is on the way. */
  authenticateKey(organizationId: string, apiKey: string): Promise<Principal | 'expired' | undefined>
  /** Still true for some time after its deletion. */
  organizationExists(organizationId: string): Promise<boolean>
  /** Throws a 423 where the organization has moved to another cell, or is on the way. */
  refuseIfMoving(organizationId: string): Promise<void>
  isOperatorKey(key: string): boolean
  /**
   * The session whose cookie stands for a principal in this request: that of the organization in `Service-OrgID`, without it the
   * operator's. Undefined: there is no such cookie, or another page than the console's may have sent it. Throws a 401 where the
   * session has ended, and a 409 where the page was opened with another one.
   */
  findSession(request: FastifyRequest): Promise<FoundSession | undefined>
}

/**
 * `isOperators`: it stands for the operator, and `principal` is the person, where it is one; else it stands for the principal.
 * `isSignInRecent`: the key was shown, or the person authenticated, within the last hour.
 */
type FoundSession = { id: string; isOperators: boolean; principal: Principal | undefined; isSignInRecent: boolean }

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
  if (organizationId === undefined) throw badRequest('required', 'Service-OrgID: is required')
  if (typeof organizationId !== 'string' || !isUuid(organizationId))
    throw badRequest('invalid_value', 'Service-OrgID: must be a UUID')
  request.organizationId = organizationId.toLowerCase()
}

/** `onUnknown` is called where there is no organization whose rate limit the call could count against. */
type Authenticating = { authentication: Authentication; onUnknown: () => void }

export async function authenticate(
  request: FastifyRequest,
  operation: Operation,
  { authentication, onUnknown }: Authenticating,
) {
  const { organizationId, headers } = request
  if (operation.access === 'link') return
  if (isAnonymous(operation)) {
    if (await authentication.organizationExists(organizationId)) return
    onUnknown()
    await authentication.refuseIfMoving(organizationId)
    throw notFound('organization')
  } else if (headers[keyHeaderOf(operation).toLowerCase()] === undefined) {
    await authenticateSession(request, operation, authentication)
  } else if (operation.access === 'operator') {
    if (!authentication.isOperatorKey(requiredHeader(headers, 'Service-Operator-Key'))) throw operatorKeyNotValid()
  } else {
    const key = await authentication.authenticateKey(organizationId, requiredHeader(headers, 'Service-API-Key'))
    if (!key) throw keyNotValid()
    if (key === 'expired') throw keyExpired()
    requireScopes(key, operation)
    request.principal = key
  }
}

/** A session stands for the very principal that it was begun with: none of an organization for the operator, nor the reverse. */
async function authenticateSession(request: FastifyRequest, operation: Operation, { findSession }: Authentication) {
  const session = await findSession(request)
  const isOperators = operation.access === 'operator'
  if (!session || isOperators !== session.isOperators) throw keyRequired(keyHeaderOf(operation))
  request.isOfConsole = true
  request.consoleSessionId = session.id
  request.isSignInRecent = session.isSignInRecent
  if (isOperators) request.operatorPerson = session.principal
  else request.principal = session.principal && { ...session.principal, isSignInRecent: session.isSignInRecent }
  if (request.principal) requireScopes(request.principal, operation)
  if (operation.recentSignIn) requireRecentSignIn(request)
}

/** A key in a header is never asked. */
export function requireRecentSignIn({ isOfConsole, isSignInRecent }: FastifyRequest) {
  if (isOfConsole && !isSignInRecent) throw signInNotRecent()
}

const keyHeaderOf = ({ access }: Operation) => (access === 'operator' ? 'Service-Operator-Key' : 'Service-API-Key')

/** Anybody may call it, without a key. */
export const isAnonymous = ({ access }: Pick<Operation, 'access'>) => access !== 'key' && access !== 'operator'

function requiredHeader(headers: FastifyRequest['headers'], name: string): string {
  const key = headers[name.toLowerCase()]
  if (typeof key !== 'string' || key === '') throw keyRequired(name)
  return key
}
