import type { Queries } from '../../ground/database/database.ts'
import { hostCookieName, readHostCookies } from '../../ground/http/chain/host-cookie.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import { findSession } from './session-store.ts'

const nameOf = (organizationId: string): string => `signet-session-${organizationId}`

/** The organization is in the name: a cookie that no neighbouring host can set has no path of its own. */
export const sessionCookieOf = (organizationId: string, baseUrl: string): string =>
  hostCookieName(nameOf(organizationId), baseUrl.startsWith('https:'))

/** Whether the browser with this `Cookie` header has a session at the organization. */
export async function hasSession(
  queries: Queries,
  organizationId: string,
  { cookie, isSecure, now }: { cookie: string | undefined; isSecure: boolean; now: string },
): Promise<boolean> {
  const [, id] = readHostCookies(cookie, nameOf(organizationId), isSecure).find(([rest]) => rest === '') ?? []
  return id !== undefined && (await findSession(queries, organizationId, hashOf(id), now)) !== undefined
}
