import { SignetError } from '@signet/management'
import { pageOrganization, serviceUrl } from './address.ts'
import { ask, isOfSignet, requireDone, resultOf } from './answer.ts'

export type Scope = `${string}:${'read' | 'write'}`

export type Session = {
  /** What each request of a page names, so that none is answered by another session. */
  id: string
  /** Absent for the operator, like the name of the organization. */
  organization_id?: string
  name?: string
  /** Who signed in. */
  by:
    | { type: 'key'; id: string; name?: string }
    | { type: 'person'; id: string; name?: string; roles: string[] }
    | { type: 'operator' }
  scopes: Scope[]
  /** When it ends without further use. */
  expires_at: string
}

type Credential = { oauth_client_id: string; label: string; provider: string }

/** How one may come into the console of an organization, or to the pages of the operator. */
export type WaysIn = {
  /** Whose page it is. Absent for the operator. */
  organization?: { id: string; name: string; display_name?: string; logo_url?: string }
  /** By which providers a person may enter, at the issuer of this organization. */
  people?: { organizationId: string; credentials: Credential[] }
  hasKeySignIn: boolean
}

const waysInTimeoutMs = 5_000

export type SignInKeys = { organization_id: string; api_key: string } | { operator_key: string }

/** Undefined: nobody is signed in to the organization of this page, or as the operator. */
export async function readSession(): Promise<Session | undefined> {
  const reply = await send('session', { headers: ofOrganization(pageOrganization) })
  if (reply.status === 401 && isOfSignet(reply)) return undefined
  return resultOf(reply)
}

/** Those of this browser, the one that was used last first. */
export async function listSessions(): Promise<Session[]> {
  const reply = await send('sessions', { headers: ofOrganization(pageOrganization) })
  return resultOf(reply)
}

/**
 * Of an organization, or of the operator where none is given. Null: there is no such organization, or the service does not say so now; keys
 * may be tried all the same.
 */
export async function readWaysIn(organizationId: string | undefined): Promise<WaysIn | null> {
  const signal = AbortSignal.timeout(waysInTimeoutMs)
  const reply = await send('sign-in/options', { headers: ofOrganization(organizationId), signal }).catch(
    () => undefined,
  )
  const result = reply && (await resultOf<Answer & AnswerOfOperator>(reply).catch(() => undefined))
  if (!result) return null
  return organizationId ? ofPeople(result) : ofOperator(result)
}

type Answer = Required<Pick<WaysIn, 'organization'>> & {
  credentials: Credential[]
  key_sign_in: boolean
  has_console_access: boolean
}

const ofPeople = ({ organization, credentials, key_sign_in, has_console_access }: Answer): WaysIn => ({
  organization,
  hasKeySignIn: key_sign_in,
  ...(has_console_access && credentials.length > 0 && { people: { organizationId: organization.id, credentials } }),
})

type AnswerOfOperator = { operator: Credential[]; operator_organization_id?: string; key_sign_in: boolean }

const ofOperator = ({ operator, operator_organization_id: id, key_sign_in }: AnswerOfOperator): WaysIn => ({
  hasKeySignIn: key_sign_in,
  ...(id && operator.length > 0 && { people: { organizationId: id, credentials: operator } }),
})

/** A change that is grave, in a session whose sign-in is older than an hour: nothing was done, and the session goes on. */
export const isForRecentSignIn = (error: unknown) =>
  error instanceof SignetError && error.codes.includes('sign_in_not_recent')

export async function signIn(keys: SignInKeys) {
  const headers = { ...ofOrganization(organizationOf(keys)), 'Content-Type': 'application/json' }
  await requireDone(await send('session', { method: 'POST', headers, body: JSON.stringify(keys) }))
}

export async function signOut() {
  await requireDone(await send('session', { method: 'DELETE', headers: ofOrganization(pageOrganization) }))
}

export const organizationOf = (keys: SignInKeys) => ('organization_id' in keys ? keys.organization_id : undefined)

/** A page that is being opened knows no session yet. What somebody typed as an id may have letters that no header has. */
const ofOrganization = (id: string | undefined) => ({
  'Service-Console': '1',
  ...(id && { 'Service-OrgID': encodeURIComponent(id) }),
})

const send = (name: 'session' | 'sessions' | 'sign-in/options', init: RequestInit) =>
  ask(`${serviceUrl}/console/${name}`, init)
