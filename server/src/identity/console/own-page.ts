import type { IncomingHttpHeaders } from 'node:http'
import { notOfConsole } from '../../ground/errors.ts'
import { isLoopbackName } from '../../ground/runtime/loopback-name.ts'

/**
 * Whether a page of this very service sent the request. Another site's page cannot send `Service-Console` without a preflight, which is
 * never answered; a browser tells by `Sec-Fetch-Site` what it knows of the page; and a name of somebody else that leads to this
 * address (DNS rebinding) is in `Host`.
 */
export const createOwnPageCheck = (baseUrl: string) => {
  const base = new URL(baseUrl)
  return ({ host = '', origin, ...headers }: IncomingHttpHeaders): boolean => {
    const own = ownOrigin(host, base)
    const site = headers['sec-fetch-site']
    const isSameOrigin = site === undefined ? origin === own : site === 'same-origin'
    return Boolean(headers['service-console']) && own !== undefined && isSameOrigin
  }
}

/** Throws a 401 unless a page of ours asks that is being opened, and so knows no session yet, or not which one the browser has now. */
export const createOpenedPageCheck =
  (isOfOwnPage: (headers: IncomingHttpHeaders) => boolean) => (headers: IncomingHttpHeaders) => {
    if (headers['service-console'] !== '1' || !isOfOwnPage(headers)) throw notOfConsole()
  }

/** Undefined: `Host` is neither that of the base URL nor a loopback name. */
export function ownOrigin(host: string, base: URL): string | undefined {
  if (URL.parse(`${base.protocol}//${host}`)?.host === base.host) return base.origin
  const url = URL.parse(`http://${host}`)
  return url && isLoopbackName(url.hostname) ? url.origin : undefined
}
