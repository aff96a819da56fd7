import type { Transaction } from '../database/database.ts'
import type { AuthorizeParams, Interaction } from './interaction.ts'

/** One proof of who the person is; `timestamp` is RFC 3339. */
export type Authentication = {
  handle?: { type: 'EmailAddress' | 'PhoneNumber'; value: string }
  method: string
  timestamp: string
}

/** What is known when a person has signed in. */
export type SignIn = {
  personId: string
  /** The provider's credential that it was done with. */
  credentialId: string
  /** The latest first; its time becomes `auth_time`, the methods of all become `authenticated_methods`. */
  authentications: [Authentication, ...Authentication[]]
  /** What the hooks add to the tokens of this sign-in, and to no other. */
  claims: Record<string, unknown>
}

/** The browser or application that a request comes from. */
export type Caller = { clientAddress: string; userAgent: string }

/** The browser of a person who has to sign in, and the application's request, which is kept. */
export type BegunSignIn = Caller & { organizationId: string; interaction: Interaction; cookie: string | undefined }

/** Where the browser is sent, with `Set-Cookie` lines. */
export type Onward = { to: string; setCookies?: string[] }

/** Undefined: there is something to choose, or to tell, which is for the flow's page. */
export type BeginSignIn = (begun: BegunSignIn) => Promise<Onward | undefined>

/** A browser that signed in before asks for another code, at the same application or another one. */
export type UsedSession = Omit<SignIn, 'claims'> &
  Caller & {
    organizationId: string
    clientId: string
    params: AuthorizeParams
    /** The `Referer` of the authorize request, or empty. */
    windowLocation: string
  }

/** What a session gives that is used again. */
export type Continued = Pick<SignIn, 'claims'> & {
  /** Publishes how it ended, in the transaction of the code: with it, or for want of a session that still was there. */
  publishEnd: (tx: Transaction, hasCode: boolean) => Promise<unknown>
}

/**
 * Runs the hooks; `params.prompt` is `none` where nothing may be shown. Gives the OAuth error that the application is told,
 * once what has to be published of it is committed. Undefined: this session cannot serve this request (another `idp`, a
 * credential that was deleted), the person has to sign in anew.
 */
export type ContinueSession = (
  session: UsedSession,
) => Promise<Continued | { error: string; error_description: string } | undefined>
