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
