import type { IncomingMessage } from 'node:http'
import type { AdapterPayload } from 'oidc-provider'
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
  /** `Set-Cookie`, for an answer that has used up the interaction. */
  whenUsed?: string
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

const ofRequests = new WeakMap<IncomingMessage, Gathered>()

export function gatheredFor(request: IncomingMessage): Gathered {
  const found = ofRequests.get(request)
  if (found) return found
  const empty: Gathered = { endsSession: false, tokens: [], endedGrants: new Set() }
  ofRequests.set(request, empty)
  return empty
}
