/** The address of Signet, and the application. None of it is secret. */
export type SignetOptions = {
  /** Signet's own address, its `SIGNET_BASE_URL`: `https://id.example.com`. */
  baseUrl: string
  /** The organization's id. */
  organizationId: string
  /** The client id of the application, which must be a public client to sign in with this library. */
  clientId: string
  /**
   * The page that calls `finishSignIn`, exactly as it is registered with the application. Default: the address of the
   * current page, without its query and fragment.
   */
  redirectUri?: string
  /** If your server signs persons in: its ID token, so that page views name the person. It is not stored. */
  idToken?: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const webAddress = /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/i
/** Of any scheme: a mobile application may have its own. */
const wholeAddress = /^[a-z][a-z\d+.-]*:[^\s#]+$/

/**
 * Throws a TypeError for the first option that is missing or invalid; otherwise the person would see an error page of
 * Signet. Returns the options as Signet compares them: the base URL without a trailing slash, the id in lower case.
 */
export function checkOptions(options: SignetOptions): Pick<SignetOptions, 'baseUrl' | 'organizationId'> {
  const { baseUrl, organizationId, clientId, redirectUri } = options ?? {}
  demand(webAddress.test(baseUrl), "baseUrl: must be Signet's address, such as https://id.example.com")
  demand(uuid.test(organizationId), 'organizationId: must be the UUID of the organization')
  demand(clientId && typeof clientId === 'string', 'clientId: must be the client id of the application')
  demand(redirectUri === undefined || wholeAddress.test(redirectUri), 'redirectUri: must be a whole address')
  const { origin, pathname } = new URL(baseUrl)
  return { baseUrl: origin + pathname.replace(/\/+$/, ''), organizationId: organizationId.toLowerCase() }
}

function demand(holds: unknown, message: string) {
  if (!holds) throw new TypeError(`createSignet: ${message}`)
}
