import { hostCookie, readHostCookies } from '../http/host-cookie.ts'
import { readOrganizationToken } from '../runtime/organization-token.ts'

/** In place of an organization, in cookies of the operator. */
export const noOrganization = '00000000-0000-0000-0000-000000000000'

const name = 'signet-console'

export const sessionCookie = (token: string, options: { isSecure: boolean; maxAgeSeconds: number }): string =>
  hostCookie(name, token, { ...options, sameSite: 'Strict' })

/**
 * What a session is looked up by. Of several cookies none counts: a neighbouring host may have set one of them where the prefix
 * `__Host-` does not prevent it.
 */
export function readSessionCookie(header: string | undefined, isSecure: boolean) {
  const [token, ...others] = readHostCookies(header, name, isSecure).flatMap(([rest, value]) => (rest ? [] : [value]))
  return token === undefined || others.length > 0 ? undefined : readOrganizationToken(token)
}

export const hasSessionCookie = (header: string | undefined, isSecure: boolean): boolean =>
  readHostCookies(header, name, isSecure).some(([rest]) => rest === '')
