import { type ApiError, forbidden } from '../../errors.ts'
import { type Operation, type Principal, writes } from './operation.ts'
import { covers, listed, missingOf, type Scope } from './scopes.ts'

export const scopesOf = ({ scope = [] }: Pick<Operation, 'scope'>): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope

/** Throws a 403 that names the scopes that the operation needs and the principal lacks. */
export function requireScopes(principal: Principal, operation: Operation) {
  const { scopes, isAdmin, operations = [] } = principal
  if (isAdmin || operations.includes(operation.id)) return
  const needed = scopesOf(operation)
  const missing = missingOf(scopes, needed)
  if (missing.length === 0 && !operation.adminOnly) return
  if (principal.type === 'person') throw refusalOfPerson(principal, operation, missing)
  const isReadOnly = writes(operation) && scopes.every((scope) => scope.endsWith(':read'))
  const key = `Service-API-Key: ${isReadOnly ? 'this key is read-only; it ' : ''}`
  if (!operation.adminOnly) throw forbidden('scope_missing', `${key}${lacks(missing)}`)
  throw forbidden('admin_required', `${key}must be an admin key, which has ${listed(needed)} and all other scopes`)
}

/** Throws a 403 unless the principal has the scope, which only this field of the body needs. */
export function requireScopeFor(field: string, principal: Principal | undefined, scope: Scope) {
  if (covers(principal?.scopes ?? [], scope)) return
  throw forbidden(
    'scope_missing',
    `${field}: ${principal?.type === 'person' ? subjectOf(principal) : 'the key'} ${lacks([scope])}`,
  )
}

/** A sentence for somebody who knows of roles and has never seen a header. */
function refusalOfPerson(principal: Principal, { adminOnly }: Operation, missing: readonly Scope[]): ApiError {
  const subject = subjectOf(principal)
  return adminOnly
    ? forbidden('admin_required', `role: ${subject} may not do this; only an owner may`)
    : forbidden('scope_missing', `role: ${subject} ${lacks(missing)}`)
}

/** `the role reader`. */
const subjectOf = ({ roles = [] }: Principal) => `the role${roles.length > 1 ? 's' : ''} ${listed(roles)}`

const lacks = (missing: readonly Scope[]) => `lacks the scope${missing.length > 1 ? 's' : ''} ${listed(missing)}`

/**
 * Throws unless every operation with a key declares what it needs: a scope that writes if and only if it writes, so that no
 * key that only reads can change anything. One that shows each thing by the scope of that thing reads.
 */
export function checkScopes(operations: Operation[]) {
  for (const operation of operations) {
    const scopes = scopesOf(operation)
    const isScoped = scopes.length > 0 && scopes.some((scope) => scope.endsWith(':write')) === writes(operation)
    const hasNone = scopes.length === 0 && !operation.adminOnly
    const needsOne = operation.access === 'key' && !operation.scopeOfEachThing
    const isRight = needsOne ? isScoped : hasNone && !(operation.scopeOfEachThing && writes(operation))
    if (!isRight) throw new Error(`${operation.id}: its scopes do not fit its access and its method`)
  }
}
