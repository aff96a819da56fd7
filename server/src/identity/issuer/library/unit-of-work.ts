import Provider, { type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { ContinuedSession, SignIn } from '../contract.ts'
import type { NewInteraction } from '../interaction-store.ts'
import type { FoundSession } from '../session-store.ts'
import type { FoundToken, NewToken } from '../token-store.ts'

/**
 * What one request has read, and what it is to write. The library reads and writes each of its records by itself; collected
 * here, they are read once and written once, all or nothing.
 */
export type UnitOfWork = {
  /** Read: the session, or the code or token, of the request. */
  session?: FoundSession
  token?: FoundToken
  /** The application, as the library knows it. */
  client?: AdapterPayload
  /** From the result of the interaction, or from the session that is used again. */
  signIn?: SignIn
  /** Only where a session is used again. */
  publishEnd?: ContinuedSession['publishEnd']
  endFlow?: ContinuedSession['endFlow']
  /** The uid of the interaction that goes on without a result, with the session of the browser. */
  resumedInteraction?: string
  /** To write. */
  newInteraction?: NewInteraction
  /** The uid of the interaction whose result is used. */
  usedInteraction?: string
  writtenSession?: { id: string; payload: AdapterPayload }
  endsSession: boolean
  grant?: { id: string; payload: AdapterPayload; expiresIn: number }
  tokens: NewToken[]
  /** The hash of the code or refresh token that is used. */
  consumed?: Buffer
  endedGrants: Set<string>
}

const units = new WeakMap<object, UnitOfWork>()

/** The unit of work of the request that is being served. */
export function unitOfWork(ctx: KoaContextWithOIDC | undefined = Provider.ctx): UnitOfWork {
  if (!ctx) throw new Error('the issuer stores nothing outside a request')
  const found = units.get(ctx.req)
  if (found) return found
  const empty: UnitOfWork = { endsSession: false, tokens: [], endedGrants: new Set() }
  units.set(ctx.req, empty)
  return empty
}
