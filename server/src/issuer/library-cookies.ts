import type { KoaContextWithOIDC } from 'oidc-provider'
import { routes } from './addresses.ts'
import { gathered } from './gathered.ts'

/** Two that the library sets for each request, with paths of their own. No browser gets them. */
export const libraryCookies = { interaction: 'signet_interaction', resume: 'signet_resume' }

const isOfLibrary = new RegExp(`^(${Object.values(libraryCookies).join('|')})(\\.sig)?=`)
const wayBack = new RegExp(`^${routes.authorization}/([\\w-]+)$`)

/** The library wants to read which request a browser comes back for: that is in the path, and a cookie of ours proves it. */
export function tellWayBack(ctx: KoaContextWithOIDC) {
  const [, uid] = wayBack.exec(ctx.path) ?? []
  if (uid) ctx.req.headers.cookie = `${libraryCookies.resume}=${uid}; ${ctx.req.headers.cookie ?? ''}`
}

/**
 * A browser has room for some 180 cookies of a host and sends them all with each request. So there are none of the library's,
 * and no session's where nobody has signed in: whoever led a browser through many requests, or many organizations, would push
 * out the sessions it has, or make its requests too large to be read.
 */
export function keepNeededCookies(ctx: KoaContextWithOIDC, sessionCookie: string) {
  const lines = [ctx.response.get('set-cookie') ?? []].flat()
  const { session, tokens } = gathered(ctx)
  const hasSession = session !== undefined || tokens.some(({ kind }) => kind === 'AuthorizationCode')
  const isNeeded = (line: string) => !isOfLibrary.test(line) && (hasSession || !line.startsWith(`${sessionCookie}=`))
  const needed = lines.filter(isNeeded)
  if (needed.length > 0) ctx.set('set-cookie', needed)
  else ctx.remove('set-cookie')
}
