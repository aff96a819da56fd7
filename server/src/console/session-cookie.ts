import { randomBytes } from 'node:crypto'
import { hostCookie, readHostCookies } from '../http/host-cookie.ts'
import { fromHex, toHex } from '../runtime/identifiers.ts'
import { hashOf } from '../runtime/secret-hash.ts'

/** In place of an organization, in cookies of the operator. */
export const noOrganization = '00000000-0000-0000-0000-000000000000'

const name = 'signet-console'
/** The organization's id in 32 hexadecimal digits, then 256 random bits in 64: whatever stands in front can route by it. */
const form = /^([0-9a-f]{32})[0-9a-f]{64}$/

export const makeToken = (organizationId: string): string => toHex(organizationId) + randomBytes(32).toString('hex')

export const sessionCookie = (token: string, options: { isSecure: boolean; maxAgeSeconds: number }): string =>
  hostCookie(name, token, { ...options, sameSite: 'Strict' })

export type SessionCookie = { organizationId: string; tokenHash: Buffer }

/**
 * What a session is looked up by. Of several cookies none counts: a neighbouring host may have set one of them where the prefix
 * `__Host-` does not prevent it.
 */
export function readSessionCookie(header: string | undefined, isSecure: boolean): SessionCookie | undefined {
  const [token, ...others] = readHostCookies(header, name, isSecure).flatMap(([rest, value]) => (rest ? [] : [value]))
  const [, organization] = form.exec(token ?? '') ?? []
  if (token === undefined || organization === undefined || others.length > 0) return undefined
  return { organizationId: fromHex(organization), tokenHash: hashOf(token) }
}

export const hasSessionCookie = (header: string | undefined, isSecure: boolean): boolean =>
  readHostCookies(header, name, isSecure).some(([rest]) => rest === '')
