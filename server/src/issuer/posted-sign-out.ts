import type { IncomingMessage } from 'node:http'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { badRequest } from '../errors.ts'
import { routes } from './addresses.ts'
import { sessionCookieOptions } from './session-cookie.ts'
import type { SignOutTokens } from './sign-out-token.ts'

/** Where the form of our own page leads that answers a sign-out by POST. */
export const signOutAnswer = `${routes.end_session}/answer`

/** A form of another site asks, and decides nothing (RP-Initiated Logout 1.0, section 2); the form of our own page answers. */
type Posted = 'asks' | 'yes' | 'no'

const posted = new WeakMap<IncomingMessage, Posted>()

/** What a sign-out by POST is: undefined for one by GET. */
export const postedSignOut = ({ req }: Pick<KoaContextWithOIDC, 'req'>): Posted | undefined => posted.get(req)

/** `request` goes to the library as a sign-out by GET, which checks its parameters in either case. Throws a 400. */
export function notePosted(
  request: IncomingMessage,
  { path, form, organizationId }: { path: string; form: URLSearchParams; organizationId: string },
  tokens: SignOutTokens,
) {
  if (path !== signOutAnswer) return posted.set(request, 'asks')
  if (!isFromOurPage(request) || !tokens.fits(organizationId, form.get('xsrf') ?? ''))
    throw badRequest('xsrf: must be that of the page that asked')
  posted.set(request, form.has('logout') ? 'yes' : 'no')
}

/** Every browser of today says so; one that does not sends no cookie with the form of another site all the same. */
const isFromOurPage = ({ headers }: IncomingMessage) => (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'

/** As the library does it for its own form: the session ends, or it forgets the application, whose tokens stay. */
export async function signOut(ctx: KoaContextWithOIDC, answer: 'yes' | 'no', sessionCookie: string) {
  const { session, client } = ctx.oidc
  if (!session) return
  if (answer === 'yes') {
    await session.destroy()
    ctx.cookies.set(sessionCookie, null, sessionCookieOptions)
  } else if (client) {
    session.state = undefined
    session.authorizations = Object.fromEntries(
      Object.entries(session.authorizations ?? {}).filter(([clientId]) => clientId !== client.clientId),
    )
    session.resetIdentifier()
  }
}
