export const issuerPath = (organizationId: string): string => `/oidc/${organizationId}`
export const issuerOf = (baseUrl: string, organizationId: string): string => `${baseUrl}${issuerPath(organizationId)}`

/** The library's own, which a browser sends to an interaction's `returnTo` alone. */
export const resumeCookie = 'signet_resume'

/** Where each endpoint is, below the issuer. */
export const routes = {
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  revocation: '/revoke',
  end_session: '/logout',
}
