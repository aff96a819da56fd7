/** `isSecure`: whether browsers come by https. */
type Options = { isSecure: boolean; maxAgeSeconds: number }

/** `__Host-`: no neighbouring host can set one (RFC 6265bis, section 4.1.3.2). It needs https. */
export const hostCookieName = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** A `Set-Cookie` line. Lax: the way back from a provider is a link of another site, a form of another site must not carry it. */
export const hostCookie = (name: string, value: string, { isSecure, maxAgeSeconds }: Options): string =>
  `${hostCookieName(name, isSecure)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

/** Those of a `Cookie` header whose name begins so, each with the rest of its name and its value. */
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
