import { consolePathOf } from '../issuer/index.ts'

/** In characters: a page with all its filters. */
const maxLength = 2_048

/** Any parser would read another address than the one that was checked: two slashes, a backslash, dots, also in their escaped forms. */
const ambiguous = /\/\/|\\|\.\.|%2f|%5c|%2e/i

/**
 * The page to which a person returns after a sign-in, below the base URL: of this organization, or of the operator. Undefined: `given` is
 * another address. `basePath`: of the base URL, with which a page may name itself.
 */
export function toReturnPath(given: string, organizationId: string, basePath: string): string | undefined {
  const path = given.startsWith(`${basePath}/console/`) ? given.slice(basePath.length) : given
  const isOfConsole = [consolePathOf(organizationId), '/console/operator/'].some((start) => path.startsWith(start))
  if (!isOfConsole || path.length > maxLength || ambiguous.test(path)) return undefined
  const url = URL.parse(path, 'https://console.invalid')
  return url && url.pathname + url.search + url.hash === path ? path : undefined
}
