import type { KoaContextWithOIDC } from 'oidc-provider'
import { routes } from '../addresses.ts'
import { unitOfWork } from './unit-of-work.ts'

/** The id of a session is a secret by itself, and is not signed. */
export const sessionCookieOptions = { path: '/', httpOnly: true, sameSite: 'lax', signed: false } as const

/** Two cookies that the library sets for each request, with a path. They are never sent to a browser. */
export const libraryCookies = { interaction: 'signet_interaction', resume: 'signet_resume' }

const isOfLibrary = new RegExp(`^(${Object.values(libraryCookies).join('|')})(\\.sig)?=`)
const resumePath = new RegExp(`^${routes.authorization}/([\\w-]+)$`)

/** The library reads from this cookie which request a browser resumes: the path says it, and our own cookie proves it. */
export function setResumeCookie(ctx: KoaContextWithOIDC) {
  const [, uid] = resumePath.exec(ctx.path) ?? []
  if (uid) ctx.req.headers.cookie = `${libraryCookies.resume}=${uid}; ${ctx.req.headers.cookie ?? ''}`
}

/**
 * Removes the library's cookies from the reply, and that of a session in which nobody has signed in. A browser keeps some
 * 180 cookies of a host and sends them all with each request: a site that leads a browser through many requests, or many
 * organizations, could push out the sessions it has, or make its requests too large to be read.
 */
export function removeUnneededCookies(ctx: KoaContextWithOIDC, sessionCookie: string) {
  const lines = [ctx.response.get('set-cookie') ?? []].flat()
  const { session, tokens } = unitOfWork(ctx)
  const hasSession = session !== undefined || tokens.some(({ kind }) => kind === 'AuthorizationCode')
  const isNeeded = (line: string) => !isOfLibrary.test(line) && (hasSession || !line.startsWith(`${sessionCookie}=`))
  const needed = lines.filter(isNeeded)
  if (needed.length > 0) ctx.set('set-cookie', needed)
  else ctx.remove('set-cookie')
}
