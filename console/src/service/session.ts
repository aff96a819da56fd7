import { SignetError } from '@signet/management'
import { pageOrganization, serviceUrl } from './address.ts'

export type Scope = `${string}:${'read' | 'write'}`

export type Session = {
  /** What each request of a page names, so that none is answered by another session. */
  id: string
  /** Absent for the operator, like the name of the organization. */
  organization_id?: string
  name?: string
  /** Who signed in. */
  by: { type: 'key'; id: string; name?: string } | { type: 'operator' }
  scopes: Scope[]
  /** When it ends without further use. */
  expires_at: string
}

export type SignInKeys = { organization_id: string; api_key: string } | { operator_key: string }

/** Undefined: nobody is signed in to the organization of this page, or as the operator. */
export async function readSession(): Promise<Session | undefined> {
  const reply = await send('session', { headers: ofOrganization(pageOrganization) })
  if (reply.status === 401) return undefined
  return (await succeeded(reply).then((good) => good.json())).result
}

/** Those of this browser, the one that was used last first. */
export async function listSessions(): Promise<Session[]> {
  const reply = await send('sessions', { headers: ofOrganization(pageOrganization) })
  return (await succeeded(reply).then((good) => good.json())).result
}

export async function signIn(keys: SignInKeys) {
  const headers = { ...ofOrganization(organizationOf(keys)), 'Content-Type': 'application/json' }
  await succeeded(await send('session', { method: 'POST', headers, body: JSON.stringify(keys) }))
}

export async function signOut() {
  await succeeded(await send('session', { method: 'DELETE', headers: ofOrganization(pageOrganization) }))
}

export const organizationOf = (keys: SignInKeys) => ('organization_id' in keys ? keys.organization_id : undefined)

/** A page that is being opened knows no session yet. What somebody typed as an id may have letters that no header has. */
const ofOrganization = (id: string | undefined) => ({
  'Service-Console': '1',
  ...(id && { 'Service-OrgID': encodeURIComponent(id) }),
})

const send = (name: 'session' | 'sessions', init: RequestInit) =>
  fetch(`${serviceUrl}/console/${name}`, init).catch((cause) => {
    throw new SignetError(cause)
  })

async function succeeded(reply: Response) {
  if (reply.ok) return reply
  throw new SignetError(await reply.json().catch(() => undefined), reply)
}
