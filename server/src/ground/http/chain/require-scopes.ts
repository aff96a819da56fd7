import { forbidden } from '../../errors.ts'
import { type Key, type Operation, writes } from './operation.ts'
import { covers, listed, missingOf, type Scope } from './scopes.ts'

export const scopesOf = ({ scope = [] }: Pick<Operation, 'scope'>): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope

/** Throws a 403 that names the scopes that the operation needs and the key lacks. */
export function requireScopes({ scopes, isAdmin }: Key, operation: Operation) {
  if (isAdmin) return
  const needed = scopesOf(operation)
  const missing = missingOf(scopes, needed)
  if (missing.length === 0 && !operation.adminOnly) return
  const requirement = operation.adminOnly
    ? `must be an admin key, which has ${listed(needed)} and all other scopes`
    : lacks(missing)
  const isReadOnly = writes(operation) && scopes.every((scope) => scope.endsWith(':read'))
  throw forbidden(`Service-API-Key: ${isReadOnly ? 'this key is read-only; it ' : ''}${requirement}`)
}

/** Throws a 403 unless the key has the scope, which only this field of the body needs. */
export function requireScopeFor(field: string, key: Key | undefined, scope: Scope) {
  if (!covers(key?.scopes ?? [], scope)) throw forbidden(`${field}: the key ${lacks([scope])}`)
}

const lacks = (missing: readonly Scope[]) => `lacks the scope${missing.length > 1 ? 's' : ''} ${listed(missing)}`

/**
 * Throws unless every operation with a key declares what it needs: a scope that writes if and only if it writes, so that no
 * key that only reads can change anything.
 */
export function checkScopes(operations: Operation[]) {
  for (const operation of operations) {
    const scopes = scopesOf(operation)
    const isScoped = scopes.length > 0 && scopes.some((scope) => scope.endsWith(':write')) === writes(operation)
    const isRight = operation.access === 'key' ? isScoped : scopes.length === 0 && !operation.adminOnly
    if (!isRight) throw new Error(`${operation.id}: its scopes do not fit its access and its method`)
  }
}
