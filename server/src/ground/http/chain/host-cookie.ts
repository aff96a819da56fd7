/**
 * `isSecure`: browsers connect over https. `sameSite` is `Lax` by default: the redirect back from a provider needs the cookie, and forms of
 * other sites must not have it.
 */
type Options = { isSecure: boolean; maxAgeSeconds: number; sameSite?: 'Lax' | 'Strict' }

/** No neighbouring host can set a cookie with the prefix `__Host-` (RFC 6265bis, section 4.1.3.2), which needs https. */
export const hostCookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** A `Set-Cookie` line. */
export const hostCookie = (name: string, value: string, { isSecure, maxAgeSeconds, sameSite = 'Lax' }: Options) =>
  `${hostCookieName(name, isSecure)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`

/** The cookies whose name starts with `prefix`: the rest of the name, and the value, of each. */
export function readHostCookies(header: string | undefined, prefix: string, isSecure: boolean): [string, string][] {
  const begin = hostCookieName(prefix, isSecure)
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin))
    .map((pair) => {
      const [rest = '', value = ''] = pair.slice(begin.length).split('=')
      return [rest, value]
    })
}
