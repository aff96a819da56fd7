import type { Database } from '../../../ground/database/database.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { makeOrganizationToken } from '../../../ground/runtime/organization-token.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { issuerOf, routes } from '../addresses.ts'
import type { Redirect } from '../contract.ts'
import { consoleCallbackOf, consoleClientId, consoleMaxAge, consolePathOf } from './console-client.ts'
import { challengeOf, makeConsoleSecret, setConsoleCookie, verifierOf } from './console-cookie.ts'
import { insertConsoleSignIn } from './console-sign-in-store.ts'

/** Google and GitHub ask for no password again, but at least for the account. */
const anew = 'login select_account'

export type ConsoleEntry = {
  organizationId: string
  /** The OAuth client ID of the credential; undefined: the person chooses. */
  idp?: string | undefined
  /** A path below the base URL that is one of the console's; undefined: the first page of the organization. */
  returnTo?: string | undefined
  /** Whether the person has to sign in anew, whatever session the browser has. */
  isFresh: boolean
  /** What the browser has opened and proven: always with a new sign-in. */
  invitation?: { id: string } | undefined
  /** The hash of the cookie by which the browser has a session of the console already, which ends with the next. */
  formerHash: Buffer | undefined
  /** The browser's header of that name. */
  cookie: string | undefined
}

export type ConsoleEntryDependencies = {
  database: Database
  clock: Clock
  baseUrl: string
  isSecure: boolean
  /** From an authorize request until the person has signed in. */
  flowMs: number
}

/** Stores a sign-in to the console, bound to the browser, and gives the request to the issuer. */
export async function beginConsoleSignIn(
  entry: ConsoleEntry,
  { database, clock, baseUrl, isSecure, flowMs }: ConsoleEntryDependencies,
): Promise<Required<Redirect>> {
  const { organizationId, invitation, formerHash, returnTo = consolePathOf(organizationId) } = entry
  const now = clock.now()
  const [state, secret] = [makeOrganizationToken(organizationId), makeConsoleSecret()]
  const stateHash = hashOf(state)
  // A flow may begin at the end of the time that its request has.
  const ms = 2 * flowMs
  await insertConsoleSignIn(database.write, organizationId, {
    stateHash,
    secretHash: hashOf(secret),
    returnTo,
    invitationId: invitation?.id ?? null,
    formerHash: formerHash ?? null,
    expiresAt: toTimestamp(now + ms),
  })
  const options = { isSecure, maxAgeSeconds: Math.ceil(ms / 1_000) }
  return {
    to: requestOf(entry, { state, secret, baseUrl }),
    setCookies: setConsoleCookie({ stateHash, secret, now }, entry.cookie, options),
  }
}

type Made = { state: string; secret: string; baseUrl: string }

function requestOf(
  { organizationId, idp, isFresh, invitation }: ConsoleEntry,
  { state, secret, baseUrl }: Made,
): string {
  const query = new URLSearchParams({
    client_id: consoleClientId,
    response_type: 'code',
    redirect_uri: consoleCallbackOf(baseUrl),
    scope: 'openid',
    state,
    code_challenge: challengeOf(verifierOf(secret)),
    code_challenge_method: 'S256',
    max_age: String(consoleMaxAge),
    ...((isFresh || invitation) && { prompt: anew }),
    ...(idp !== undefined && { idp }),
  })
  return `${issuerOf(baseUrl, organizationId)}${routes.authorization}?${query}`
}
