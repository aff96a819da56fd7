import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { badRequest } from '../../ground/errors.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { routes } from './addresses.ts'

/** The address to which the form of our own page is sent: the person's answer to a sign-out by POST. */
export const signOutAnswer = `${routes.end_session}/answer`

/** A form of another site only asks (RP-Initiated Logout 1.0, section 2); the form of our own page answers. */
type Posted = 'asks' | 'yes' | 'no'

const posted = new WeakMap<IncomingMessage, Posted>()

/** Undefined for a sign-out by GET. */
export const postedSignOut = ({ req }: { req: IncomingMessage }): Posted | undefined => posted.get(req)

/** The library receives `request` as a sign-out by GET, and checks its parameters in either case. Throws a 400. */
export function notePosted(
  request: IncomingMessage,
  { path, form, organizationId }: { path: string; form: URLSearchParams; organizationId: string },
  tokens: SignOutTokens,
) {
  if (path !== signOutAnswer) return posted.set(request, 'asks')
  if (!isFromOurPage(request) || !tokens.fits(organizationId, form.get('xsrf') ?? ''))
    throw badRequest('invalid_value', 'xsrf: must be that of the page that asked')
  posted.set(request, form.has('logout') ? 'yes' : 'no')
}

/** Current browsers send this header; one that does not sends no cookie with the form of another site all the same. */
const isFromOurPage = ({ headers }: IncomingMessage) => (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin'

const tokenForm = /^(\d{1,15})\.([\w-]{43})$/

/**
 * The token in the form of our own page. The form of another site comes without our cookies, so the token cannot be bound to
 * a session. It proves when our page was made; `isFromOurPage` and the session's cookie prove that the form was sent from
 * there by the person who is signed in.
 */
export type SignOutTokens = {
  make(organizationId: string): string
  /** Whether it was made for this organization, and no longer ago than a sign-in may take. */
  fits(organizationId: string, token: string): boolean
}

type Dependencies = { keyring: Pick<Keyring, 'derive'>; clock: Clock; flowMs: number }

export function createSignOutTokens({ keyring, clock, flowMs }: Dependencies): SignOutTokens {
  const proofsOf = (organizationId: string, madeAt: string) => keyring.derive(`sign-out ${organizationId} ${madeAt}`)
  return {
    make: (organizationId) => {
      const madeAt = String(Math.floor(clock.now()))
      return `${madeAt}.${proofsOf(organizationId, madeAt)[0]?.toString('base64url')}`
    },
    fits: (organizationId, token) => {
      const [, madeAt = '', proof = ''] = tokenForm.exec(token) ?? []
      if (!madeAt || clock.now() - Number(madeAt) > flowMs) return false
      return proofsOf(organizationId, madeAt).some((own) => timingSafeEqual(own, Buffer.from(proof, 'base64url')))
    },
  }
}
