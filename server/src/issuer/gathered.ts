import Provider, { type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider'
import type { KeptInteraction } from './interaction-store.ts'
import type { FoundSession } from './session-store.ts'
import type { Continued, SignIn } from './sign-in.ts'
import type { FoundToken, NewToken } from './token-store.ts'

/**
 * What one request has read, and what it will have written. The library reads and writes each of its things by itself; here
 * they come together, so that a request reads once and writes once, and writes all or nothing.
 */
export type Gathered = {
  /** Read: the session, or the code or token, that the request came with. */
  session?: FoundSession
  token?: FoundToken
  /** Known from the interaction's result, or from the session that is used again. */
  signIn?: SignIn
  /** Of a session that is used again. */
  publishEnd?: Continued['publishEnd']
  /** To be written. */
  begunInteraction?: KeptInteraction
  usedInteraction?: string
  keptSession?: { id: string; payload: AdapterPayload }
  endsSession: boolean
  grant?: { id: string; payload: AdapterPayload; expiresIn: number }
  tokens: NewToken[]
  consumed?: Buffer
  endedGrants: Set<string>
}

const ofRequests = new WeakMap<object, Gathered>()

/** Of the request that is being served. */
export function gathered(ctx: KoaContextWithOIDC | undefined = Provider.ctx): Gathered {
  if (!ctx) throw new Error('the issuer stores nothing outside a request')
  const found = ofRequests.get(ctx.req)
  if (found) return found
  const empty: Gathered = { endsSession: false, tokens: [], endedGrants: new Set() }
  ofRequests.set(ctx.req, empty)
  return empty
}
