import { hostCookieName } from '../http/host-cookie.ts'

/** Beside those of other organizations: a cookie that no neighbouring host can set has no path. */
export const sessionCookieOf = (organizationId: string, baseUrl: string): string =>
  hostCookieName(`signet-session-${organizationId}`, baseUrl.startsWith('https:'))

/** The id of a session is a secret by itself, and is not signed. */
export const sessionCookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', signed: false } as const
