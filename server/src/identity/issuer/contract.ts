import type { Transaction } from '../../ground/database/database.ts'
import type { Origin } from '../../ground/http/pages/index.ts'

/** In milliseconds. */
export type Lifetimes = {
  codeMs: number
  idTokenMs: number
  accessTokenMs: number
  /** An unused refresh token expires after this time. */
  refreshIdleMs: number
  /** Since the sign-in, for all its refresh tokens. */
  refreshMs: number
  /** Since the person authenticated at the provider. */
  sessionMs: number
  /** From a request until the person has signed in. */
  flowMs: number
}

/** The parameters of an authorize request that were present: also `idp`, `correlation_id`, `login_hint`, `prompt`. */
export type AuthorizeParams = Partial<Record<string, string>>

/** A request of an application that waits for a person to sign in. */
export type Interaction = {
  uid: string
  clientId: string
  /** Of the console, where the browser has opened one that may make its person an administrator. It has to be asked for once more. */
  invitationId: string | undefined
  params: AuthorizeParams
  /** The `Referer` of the authorize request, or empty. */
  windowLocation: string
  /** The person of the browser's session, who has to sign in again. */
  sessionPersonId: string | undefined
  /** The subject of the request's `id_token_hint`: nobody else may sign in (OpenID Connect Core, 3.1.2.1). */
  hintedPersonId: string | undefined
  /** Whether the sign-in has ended: the browser only has to go to `returnTo`. */
  hasResult: boolean
  /** Where the browser goes once there is a result, or to go on with its session. */
  returnTo: string
}

/** One authentication of a person; `timestamp` is RFC 3339. */
export type Authentication = {
  handle?: { type: 'EmailAddress' | 'PhoneNumber'; value: string }
  method: string
  timestamp: string
}

export type SignIn = {
  personId: string
  /** The credential of the provider that the person used. */
  credentialId: string
  /** The identity that the person used. Null: an earlier release signed the person in. */
  identityId: string | null
  /** The latest first; its time becomes `auth_time`, the methods of all become `authenticated_methods`. */
  authentications: [Authentication, ...Authentication[]]
  /** Claims that the hooks add to the tokens of this sign-in only. */
  claims: Record<string, unknown>
}

/** The application receives the OAuth error with its description. */
export type Result = { signIn: SignIn } | { error: string; error_description: string }

/** The browser that sent an authorize request; `windowLocation` is its `Referer`, or empty. */
export type Browser = { clientAddress: string; userAgent: string; windowLocation: string }

/** A stored interaction, and the browser whose person has to sign in. `cookie` is its header of that name. */
export type BegunSignIn = Browser & {
  organizationId: string
  interaction: Interaction
  /** The uid of the interaction whose place it takes: its person has to sign in for it after all. */
  replaces?: string | undefined
  cookie: string | undefined
}

/** Where the browser is sent, with `Set-Cookie` lines. */
export type Redirect = { to: string; setCookies?: string[] }

/** What is known of a request that is over, by the id of its interaction: for the page that says so. */
export type FindPastRequest = (
  organizationId: string,
  uid: string,
) => Promise<{ origin: Origin; uiLocales: string | undefined }>

/** Undefined: the person has to choose a provider or read an error, on the page at `interactionPath`. */
export type BeginSignIn = (begun: BegunSignIn) => Promise<Redirect | undefined>

/** A session that an authorize request may use without another sign-in, at any application of the organization. */
export type UsedSession = Omit<SignIn, 'claims'> &
  Browser & {
    organizationId: string
    clientId: string
    params: AuthorizeParams
    /** That of a request which waited for a sign-in, and goes on with the session instead. */
    interactionUid?: string | undefined
  }

export type ContinuedSession = Pick<SignIn, 'claims'> & {
  /**
   * Before anything else in that transaction: what the request waited for ends, and its event is the one that `publishEnd` publishes.
   * False: it has ended, with an event of its own.
   */
  endFlow?: (tx: Transaction) => Promise<boolean>
  /** Publishes the final event in the transaction of the code. `hasCode`: false if the session had ended meanwhile. */
  publishEnd: (tx: Transaction, hasCode: boolean) => Promise<unknown>
}

/**
 * Runs the hooks; `params.prompt` is `none` where no page may be shown. Gives the OAuth error for the application after its
 * event, if it has one, is committed. Undefined: the session cannot serve this request (another `idp`, a credential that
 * was deleted), so the person has to sign in again.
 */
export type ContinueSession = (
  session: UsedSession,
) => Promise<ContinuedSession | { error: string; error_description: string } | undefined>
