export const issuerPath = (organizationId: string): string => `/oidc/${organizationId}`
export const issuerOf = (baseUrl: string, organizationId: string): string => `${baseUrl}${issuerPath(organizationId)}`

/** Where each endpoint is, below the issuer. */
export const routes = {
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  revocation: '/revoke',
  end_session: '/logout',
}

/** What stands before every path, where the service is not at the root. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '')

/**
 * Of an authorize request's query, which is stored until the person has signed in, in characters. An ID token of ours, with all
 * the claims of hooks and groups that it may have, is up to 18,000 as a hint, and libraries put two thousand into a `state`.
 */
export const maxRequest = 24_576
export const requestTooLong = `the request is longer than ${maxRequest} characters`
