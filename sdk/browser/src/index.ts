/**
 * Signet in a page: signs a person in and out, and reports page views to Signet.
 *
 * @packageDocumentation
 */
import { checkOptions, type SignetOptions } from './check-options.ts'
import { type Claims, readIdToken } from './id-token.ts'
import { sendPageView, watchAddress } from './page-views.ts'
import { openSessionStore } from './session-store.ts'
import { beginSignIn, endSignIn, type SignedIn, type SignInOptions } from './sign-in.ts'
import { toParams } from './to-params.ts'

export type { SignetOptions } from './check-options.ts'
export type { Claims } from './id-token.ts'
export type { SignedIn, SignInOptions } from './sign-in.ts'
export { SignInError } from './sign-in-error.ts'

/** The client of a page. */
export type Signet = {
  /** Leaves the page to sign in; Signet sends the browser back to `redirectUri`. The promise never resolves. */
  signIn(options?: SignInOptions): Promise<never>
  /**
   * Call this on the page of `redirectUri`: it finishes the sign-in that the browser returns from, and removes the callback
   * parameters from the address. Returns `undefined` when there is no sign-in to finish, so that it may be called on every
   * load. Concurrent calls share one promise.
   *
   * @throws {SignInError} when the sign-in failed, or when the callback does not belong to it; when Signet cannot be
   * reached, the error of `fetch`.
   */
  finishSignIn(): Promise<SignedIn | undefined>
  /** The claims of the person who is signed in in this tab; `undefined` after the ID token has expired. */
  person(): Claims | undefined
  /**
   * Signs out of this tab at once, and leaves the page to sign out of Signet.
   *
   * @param returnTo - Where Signet sends the browser afterwards: one of the application's post-logout redirect URIs.
   */
  signOut(returnTo?: string): void
  /** The UUID of this browsing session, the same in all its events; it ends with the tab. */
  correlationId(): string
  /**
   * Reports to Signet that another page is shown (VirtualPageLoaded_v1). Returns at once and never throws; an event that
   * cannot be sent is lost.
   *
   * @param windowLocation - The address of the page. Default: that of the browser, without callback parameters.
   */
  trackVirtualPageView(windowLocation?: string): void
  /**
   * Reports the current page, and from now on each page that the history changes to (`pushState`,
   * `replaceState`, back, forward, fragments), once for each change of the address.
   *
   * @returns a function that stops it.
   */
  trackHistory(): () => void
}

/**
 * Creates a client. It sends nothing until one of its methods is called.
 *
 * @throws {TypeError} naming the first option that is missing or invalid.
 */
export function createSignet(options: SignetOptions): Signet {
  const { baseUrl, organizationId } = checkOptions(options)
  const { clientId, redirectUri = location.origin + location.pathname, idToken: serverToken } = options
  const store = openSessionStore(`signet:${clientId}`)
  const issuer = `${baseUrl}/oidc/${organizationId}`
  const application = { issuer, clientId, redirectUri, store }
  let fromServer = serverToken
  let finishing: Promise<SignedIn | undefined> | undefined

  const idToken = () => fromServer ?? store.get('id_token')
  const forget = () => {
    fromServer = undefined
    store.remove('id_token')
  }
  const correlationId = () => {
    const id = store.get('correlation_id') ?? crypto.randomUUID()
    store.set('correlation_id', id)
    return id
  }
  const person = () => {
    const claims = readIdToken(idToken() ?? '')
    return claims && claims.exp > Date.now() / 1_000 ? claims : undefined
  }
  const pageViews = {
    url: `${baseUrl}/sdk/events`,
    organizationId,
    correlationId,
    idToken: () => (person() ? idToken() : undefined),
    onRefused: (refused: string) => {
      // Somebody may have signed in since.
      if (refused === idToken()) forget()
    },
  }
  const trackVirtualPageView = (windowLocation = location.href) => void sendPageView(pageViews, windowLocation)

  const finish = async () => {
    const ended = await endSignIn(application)
    if (!ended) return undefined
    const { idToken: token, ...signedIn } = ended
    store.set('id_token', token)
    return signedIn
  }
  /** React's strict mode calls twice, but the callback parameters can be used only once. */
  const finishSignIn = () => {
    finishing ??= finish().finally(() => {
      finishing = undefined
    })
    return finishing
  }

  return {
    correlationId,
    person,
    trackVirtualPageView,
    signIn: (options = {}) => beginSignIn(application, correlationId(), options),
    finishSignIn,
    signOut: (returnTo) => {
      const hint = idToken()
      forget()
      const params = toParams({ client_id: clientId, id_token_hint: hint, post_logout_redirect_uri: returnTo })
      location.assign(`${issuer}/logout?${params}`)
    },
    trackHistory: () => {
      trackVirtualPageView()
      return watchAddress(() => trackVirtualPageView())
    },
  }
}
