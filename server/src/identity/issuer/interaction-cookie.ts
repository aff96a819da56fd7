import { timingSafeEqual } from 'node:crypto'
import { hostCookie, readHostCookies } from '../../ground/http/chain/host-cookie.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { interactionPrefix, openRequestsOf } from './open-requests.ts'

/**
 * The time of the request, in milliseconds, and the proof. An older release beside this one reads and writes it too, so that each may
 * take any step of a sign-in.
 */
const valueForm = /^(\d{1,15})\.([\w-]{43})$/

/**
 * Binds an interaction to the browser that made its request. Each has its own cookie, so that tabs which begin at once do not
 * overwrite each other. The proof is derived from the master key: knowing a `uid` or reading the database is not enough to make
 * one, and nothing is stored.
 */
export type InteractionCookies = {
  /** `Set-Cookie` lines that add a cookie, and drop the oldest ones of the browser beyond the limit. */
  begin(organizationId: string, uid: string, header: string | undefined): string[]
  /** Whether the browser with this `Cookie` header made the request. */
  has(organizationId: string, uid: string, header: string | undefined): boolean
  end(uid: string): string
}

type Dependencies = { keyring: Pick<Keyring, 'derive'>; clock: Clock; isSecure: boolean; flowMs: number }
type InteractionCookie = { uid: string; begunAt: number; proof: Buffer }

export function createInteractionCookies({ keyring, clock, isSecure, flowMs }: Dependencies): InteractionCookies {
  const proofsOf = (organizationId: string, uid: string) => keyring.derive(`interaction ${organizationId} ${uid}`)
  const read = (header: string | undefined) => readHostCookies(header, interactionPrefix, isSecure).flatMap(readCookie)
  const end = (uid: string) => hostCookie(`${interactionPrefix}${uid}`, '', { isSecure, maxAgeSeconds: 0 })
  return {
    end,
    begin: (organizationId, uid, header) => {
      const newestFirst = read(header).sort((a, b) => b.begunAt - a.begunAt)
      const dropped = newestFirst.slice(openRequestsOf(header, isSecure) - 1).map((cookie) => end(cookie.uid))
      const proof = proofsOf(organizationId, uid)[0]?.toString('base64url')
      const options = { isSecure, maxAgeSeconds: Math.ceil(flowMs / 1_000) }
      return [hostCookie(`${interactionPrefix}${uid}`, `${Math.floor(clock.now())}.${proof}`, options), ...dropped]
    },
    has: (organizationId, uid, header) => {
      const proofs = proofsOf(organizationId, uid)
      const isProven = (cookie: InteractionCookie) => proofs.some((proof) => timingSafeEqual(proof, cookie.proof))
      return read(header).some((cookie) => cookie.uid === uid && isProven(cookie))
    },
  }
}

function readCookie([uid, value]: [string, string]): InteractionCookie[] {
  const [, begunAt, proof = ''] = valueForm.exec(value) ?? []
  return begunAt === undefined ? [] : [{ uid, begunAt: Number(begunAt), proof: Buffer.from(proof, 'base64url') }]
}
