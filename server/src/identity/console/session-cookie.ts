import { randomBytes } from 'node:crypto'
import { hostCookie, readHostCookies } from '../../ground/http/chain/host-cookie.ts'
import { fromHex, toHex } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'

/** In place of an organization, in sessions of the operator. */
export const noOrganization = '00000000-0000-0000-0000-000000000000'

/** Of one browser; one organization more drops the one that was used longest ago. With their names they take 1.3 KB of each request. */
export const maxCookies = 10
/** So many are looked at; no browser was given more. */
const maxRead = 2 * maxCookies

const prefix = 'signet-console-'
const operatorSuffix = 'operator'
/** The organization's id, by which whatever stands in front can route, then 128 random bits. Both in hexadecimal digits. */
const form = /^([0-9a-f]{32})[0-9a-f]{32}$/

export const makeSessionToken = (organizationId: string): string =>
  toHex(organizationId) + randomBytes(16).toString('hex')

/** What a session is looked up by. */
export type SessionCookie = { organizationId: string; hash: Buffer }

type Options = { isSecure: boolean; maxAgeSeconds: number }

/** A `Set-Cookie` line. Each organization has a cookie of its own, and so has the operator. */
export const sessionCookie = (organizationId: string, token: string, options: Options): string =>
  hostCookie(prefix + suffixOf(organizationId), token, { ...options, sameSite: 'Strict' })

const suffixOf = (organizationId: string) => (organizationId === noOrganization ? operatorSuffix : organizationId)

/**
 * Those of a browser. Of several with one name none counts: a neighbouring host may have set one of them where the prefix `__Host-`
 * does not prevent it.
 */
export function readSessionCookies(header: string | undefined, isSecure: boolean): SessionCookie[] {
  const pairs = readHostCookies(header, prefix, isSecure)
  const isAlone = (suffix: string) => pairs.filter(([other]) => other === suffix).length === 1
  return pairs
    .slice(0, maxRead)
    .filter(([suffix]) => isAlone(suffix))
    .flatMap(toCookie)
}

export const readSessionCookie = (header: string | undefined, organizationId: string, isSecure: boolean) =>
  readSessionCookies(header, isSecure).find((cookie) => cookie.organizationId === organizationId)

/** The name and the value have the same organization. */
function toCookie([suffix, value]: [string, string]): SessionCookie[] {
  const [, digits] = form.exec(value) ?? []
  const organizationId = digits && fromHex(digits)
  return organizationId && suffix === suffixOf(organizationId) ? [{ organizationId, hash: hashOf(value) }] : []
}
