/** Where browsers are sent, and nobody else goes. */
const personPath = /^\/sso(\/|$)|^\/oidc\/[^/]*\/(authorize|logout)(\/|$)/
/** What applications call below an issuer. */
const applicationPath = /^\/oidc\/[^/]*\/(token|userinfo|revoke|jwks|\.well-known)(\/|$)/

/** Whether a person sees the answer. Below an issuer there may also be an address that is mistyped or shortened. */
export const isForPerson = (path: string, accept = ''): boolean =>
  personPath.test(path) || (/^\/oidc(\/|$)/.test(path) && !applicationPath.test(path) && accept.includes('text/html'))

/** `path` may be that below the issuer. */
export const isSignOut = (path: string): boolean => /\/logout(\/|$)/.test(path)
