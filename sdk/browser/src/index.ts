/**
 * Signet in a page: signs a person in and out, and tells Signet of the pages that the person sees.
 *
 * @packageDocumentation
 */
import { checkOptions } from './check-options.ts'
import { type Claims, readIdToken } from './id-token.ts'
import { sendPageView, watchAddress } from './page-views.ts'
import { openSessionStore } from './session-store.ts'
import { beginSignIn, endSignIn, type SignedIn, type SignInOptions } from './sign-in.ts'
import { toParams } from './to-params.ts'

export type { Claims } from './id-token.ts'
export type { SignedIn, SignInOptions } from './sign-in.ts'
export { SignInError } from './sign-in-error.ts'

/** Where Signet is, and who asks. None of it is secret. */
export type SignetOptions = {
  /** Signet's own address, its `SIGNET_BASE_URL`: `https://id.example.com`. */
  baseUrl: string
  /** The organization's id. */
  organizationId: string
  /** The application's client id. To sign in with this library it has to be a public one. */
  clientId: string
  /**
   * The page that calls `finishSignIn`, letter for letter as it is registered with the application. Default: the address of
   * the present page, without its query and fragment.
   */
  redirectUri?: string
  /** Where your server signs persons in: the ID token it got, so that page views name the person. It is kept nowhere. */
  idToken?: string
}

/** What a page does with Signet. */
export type Signet = {
  /** Leaves the page to sign in; Signet sends the browser back to `redirectUri`. The promise never resolves. */
  signIn(options?: SignInOptions): Promise<never>
  /**
   * To be called on the page of `redirectUri`: finishes the sign-in that the browser comes back from, and takes what it
   * brought out of the address. Gives `undefined` where there is none to finish, so that it may be called on every load.
   * Calls at the same time share one promise.
   *
   * @throws {SignInError} when the sign-in failed, or when what came back is not an answer to it; where Signet cannot be
   * reached, what `fetch` throws.
   */
  finishSignIn(): Promise<SignedIn | undefined>
  /** Who is signed in in this tab, as the ID token says; `undefined` once that has expired. */
  person(): Claims | undefined
  /**
   * Signs out of this tab at once, and leaves the page to sign out of Signet.
   *
   * @param returnTo - Where Signet sends the browser then: one of the application's post-logout redirect URIs.
   */
  signOut(returnTo?: string): void
  /** The UUID of this browsing session, the same in all its events; it ends with the tab. */
  correlationId(): string
  /**
   * Tells Signet that another page is shown (VirtualPageLoaded_v1). It returns at once and never throws; an event that
   * cannot be sent is lost.
   *
   * @param windowLocation - Its address. Default: that of the browser, without what a sign-in brings back.
   */
  trackVirtualPageView(windowLocation?: string): void
  /**
   * Tells Signet of the page shown now, and from now on of each one that the history changes to (`pushState`,
   * `replaceState`, back, forward, fragments), once for each change of the address.
   *
   * @returns how to stop that.
   */
  trackHistory(): () => void
}

/**
 * Begins nothing and sends nothing by itself.
 *
 * @throws {TypeError} that names the first option which is missing or wrong.
 */
export function createSignet(options: SignetOptions): Signet {
  const { baseUrl, organizationId } = checkOptions(options)
  const { clientId, redirectUri = location.origin + location.pathname, idToken: given } = options
  const store = openSessionStore(`signet:${clientId}`)
  const issuer = `${baseUrl}/oidc/${organizationId}`
  const application = { issuer, clientId, redirectUri, store }
  let fromServer = given
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
    ...{ url: `${baseUrl}/sdk/events`, organizationId, correlationId },
    idToken: () => (person() ? idToken() : undefined),
    onRefused: (refused: string) => {
      // Meanwhile somebody may have signed in.
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
  /** React's strict mode calls twice, and an answer in the address can be taken once. */
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
