export const issuerPath = (organizationId: string): string => `/oidc/${organizationId}`
export const issuerOf = (baseUrl: string, organizationId: string): string => `${baseUrl}${issuerPath(organizationId)}`

/** The path of each endpoint, below the issuer. */
export const routes = {
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  revocation: '/revoke',
  introspection: '/introspect',
  end_session: '/logout',
}

/** The path of the base URL, empty if the service is at the root. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

/**
 * The longest query of an authorize request, in characters; it is stored until the person has signed in. One of our ID tokens
 * as a hint, with all claims of hooks and groups, has up to 18,000, and some libraries put two thousand into a `state`.
 */
export const maxRequest = 24_576
export const requestTooLong = `the request is longer than ${maxRequest} characters`
