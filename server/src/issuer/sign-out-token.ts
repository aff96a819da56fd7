import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../keys/index.ts'
import type { Clock } from '../runtime/clock.ts'

const tokenForm = /^(\d{1,15})\.([\w-]{43})$/

/**
 * What a sign-out by a form of another site is answered with: the page that asks carries it in its own form. Such a request comes
 * without our cookies, so the token cannot be that of a session. It shows when the page was made, and that it is ours; that the
 * form was sent from there, and by the person whose session it is, the browser tells (`isFromOurPage`) and its cookie.
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
