import { SignetError } from '@signet/management'
import { createContext, use } from 'react'
import { serviceUrl } from '../service/address.ts'

export type Scope = `${string}:${'read' | 'write'}`

export type Session = {
  /** Absent for the operator. */
  organization_id?: string
  organization_name?: string
  key?: { id: string; name?: string }
  operator: boolean
  scopes: Scope[]
  is_admin: boolean
  read_only: boolean
  /** When it ends without further use. */
  expires_at: string
  /** When it ends in any case. */
  ends_at: string
}

export type SignInKeys = { organization_id: string; api_key: string } | { operator_key: string }

const address = `${serviceUrl}/console/session`
const headers = { 'Service-Console': '1' }

/** Undefined: nobody is signed in. */
export async function readSession(): Promise<Session | undefined> {
  const reply = await send({ headers })
  if (reply.status === 401) return undefined
  return (await succeeded(reply).then((good) => good.json())).result
}

export async function signIn(keys: SignInKeys) {
  const body = JSON.stringify(keys)
  await succeeded(await send({ method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }))
}

export async function signOut() {
  await succeeded(await send({ method: 'DELETE', headers }))
}

const send = (init: RequestInit) =>
  fetch(address, init).catch((cause) => {
    throw new SignetError(cause)
  })

async function succeeded(reply: Response) {
  if (reply.ok) return reply
  throw new SignetError(await reply.json().catch(() => undefined), reply)
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** Within the pages of somebody who is signed in. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession is used outside of a session')
  return session
}

/** Whether the key has a scope. `write` reads too. */
export function may({ scopes, operator }: Session, scope: Scope): boolean {
  return operator || scopes.includes(scope) || scopes.includes(scope.replace(/:read$/, ':write') as Scope)
}

/** Why something cannot be done, wherever it is said. */
export const lacks = (scope: Scope) => `This key lacks the scope ${scope}.`

export const useMay = (scope: Scope) => may(useSession(), scope)

const ended = new EventTarget()

/** A request was refused because the session is over. */
export const sessionEnded = () => void ended.dispatchEvent(new Event('ended'))

export function onSessionEnded(listener: () => void): () => void {
  ended.addEventListener('ended', listener)
  return () => ended.removeEventListener('ended', listener)
}
