import type { Clock } from '../clock.ts'
import type { Signer } from '../keys/index.ts'
import type { Call, Door, Outcome } from '../outbound/index.ts'

/** What each attempt is made with; `signer` is that of the invocation's organization. */
export type Means = Pick<Call, 'headers' | 'timeoutMs' | 'keepAnswerBytes' | 'needsBody'> & {
  targetUrl: string
  signer: Signer
}

/** The token of one attempt. */
export type Signed = { jti: string; jwt: string }

export type Attempt = {
  jti: string
  startedAt: number
  jwt: string
  outcome: Outcome
}

type Dependencies = { clock: Clock; door: Door }

/** An attempt whose request is handed over. */
type Begun = Omit<Attempt, 'outcome'> & { outcome: Promise<Outcome> }

/**
 * Sends once what was signed for it. Undefined, and nothing sent, when the key was looked up too long ago: it may have been
 * withdrawn since.
 */
export function beginAttempt(
  { jti, jwt }: Signed,
  { signer, targetUrl, headers, ...limits }: Means,
  { clock, door }: Dependencies,
): Begun | undefined {
  if (!signer.isGood()) return undefined
  const startedAt = clock.now()
  const lines = [...headers, 'content-type', 'application/jwt']
  const outcome = door.post({ url: targetUrl, headers: lines, body: jwt, ...limits })
  return { jti, startedAt, jwt, outcome }
}
