import { createContext, use } from 'react'
import { pageSession } from '../service/page-session.ts'
import type { Scope, Session } from '../service/session.ts'
import { inWords } from './roles.ts'
import { scopes as allScopes } from './scopes.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

/** Within the pages of somebody who is signed in. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession is used outside of a session')
  return session
}

/** The name of the person or the key, or what else stands in its place. */
export function nameOf(session: Session) {
  const { by } = session
  if (by.type === 'operator') return 'operator'
  if (by.type === 'key') return by.name ?? 'key without a name'
  // To the pages of the operator a role in the organization says nothing.
  return [by.name ?? 'unnamed person', ...(isOperators(session) ? [] : by.roles)].join(', ')
}

/** By the operator key, or as one of the operator's people: the page is of no organization. */
export const isOperators = ({ organization_id }: Session) => organization_id === undefined

const rolesOf = ({ by }: Session) => (by.type === 'person' ? by.roles : [])

/** What the session stands for, at the beginning of a sentence: a key, or the roles of a person. */
export const subjectOf = (session: Session) =>
  session.by.type === 'person' ? inWords(rolesOf(session)) : { words: 'This key', isSeveral: false }

/** Whether the key or the person has a scope. `write` reads too. */
export function may(session: Session, scope: Scope): boolean {
  const { scopes } = session
  return isOperators(session) || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write') as Scope)
}

/** An admin key, or an owner: whoever has all scopes. Some things are for them alone. */
export const isAdmin = (session: Session) => !isOperators(session) && allScopes.every((scope) => may(session, scope))

const readScopes = allScopes.filter((scope) => scope.endsWith(':read'))

/** One that changes nothing. */
export const onlyReads = (session: Session) =>
  !isOperators(session) && !session.scopes.some((scope) => scope.endsWith(':write'))

export const readsAll = (session: Session) => readScopes.every((scope) => may(session, scope))

/** Why something cannot be done, wherever it is said. */
export function lacks(scope: Scope) {
  const session = pageSession()
  if (session?.by.type !== 'person') return `This key lacks the scope ${scope}.`
  const { words, isSeveral } = subjectOf(session)
  return `${words} ${isSeveral ? 'do not allow this: they lack' : 'does not allow this: it lacks'} ${scope}.`
}

export const useMay = (scope: Scope) => may(useSession(), scope)

/** Why one may not; undefined: one may. */
export const useRefusal = (scope: Scope) => (useMay(scope) ? undefined : lacks(scope))

/** Support ends sessions of persons and makes test sign-ins, though it has no scope that writes them. */
export const useIsSupport = () => rolesOf(useSession()).includes('support')

export const useIsAdmin = () => isAdmin(useSession())

/** Why one may not, of what is for admin keys and owners alone; undefined: one may. */
export const useAdminRefusal = () => (useIsAdmin() ? undefined : 'Only admin keys and owners do this.')
