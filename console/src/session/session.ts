import { createContext, use } from 'react'
import type { Scope, Session } from '../service/session.ts'
import { scopes as allScopes } from './scopes.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

/** Within the pages of somebody who is signed in. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession is used outside of a session')
  return session
}

/** The name of the key, or what else stands in its place. */
export const nameOf = ({ by }: Session) => (by.type === 'operator' ? 'operator' : (by.name ?? 'unnamed key'))

/** By the operator key, or as one of the operator's people: the page is of no organization. */
export const isOperators = ({ organization_id }: Session) => organization_id === undefined

/** Whether the key has a scope. `write` reads too. */
export function may(session: Session, scope: Scope): boolean {
  const { scopes } = session
  return isOperators(session) || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write') as Scope)
}

/** Whether the key has all scopes: some things are for such keys alone. */
export const isAdmin = (session: Session) => !isOperators(session) && allScopes.every((scope) => may(session, scope))

const readScopes = allScopes.filter((scope) => scope.endsWith(':read'))

/** A key that changes nothing. */
export const onlyReads = ({ by, scopes }: Session) =>
  by.type === 'key' && !scopes.some((scope) => scope.endsWith(':write'))

export const readsAll = (session: Session) => readScopes.every((scope) => may(session, scope))

/** Why something cannot be done, wherever it is said. */
export const lacks = (scope: Scope) => `This key lacks the scope ${scope}.`

export const useMay = (scope: Scope) => may(useSession(), scope)

/** Why the key may not; undefined: it may. */
export const useRefusal = (scope: Scope) => (useMay(scope) ? undefined : lacks(scope))

export const useIsAdmin = () => isAdmin(useSession())
