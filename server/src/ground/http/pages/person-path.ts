/** Paths that only browsers open. */
const personPath = /^\/sso(\/|$)|^\/oidc\/[^/]*\/(authorize|logout)(\/|$)|^\/console\/(sign-in|callback)$/
/** Paths that applications call below an issuer. */
const applicationPath = /^\/oidc\/[^/]*\/(token|userinfo|revoke|introspect|jwks|\.well-known)(\/|$)/

/** Whether a person sees the reply; also at a mistyped address below an issuer. */
export const isForPerson = (path: string, accept = ''): boolean =>
  personPath.test(path) || (/^\/oidc(\/|$)/.test(path) && !applicationPath.test(path) && accept.includes('text/html'))

/** `path` may be relative to the issuer. */
export const isSignOut = (path: string): boolean => /\/logout(\/|$)/.test(path)
