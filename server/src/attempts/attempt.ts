import type { Clock } from '../clock.ts'
import type { Signer } from '../keys/index.ts'
import type { Call, Door, Outcome } from '../outbound/index.ts'

/** What each attempt is made with; `signer` is that of the invocation's organization. */
export type Means = Pick<Call, 'headers' | 'timeoutMs' | 'keepAnswerBytes' | 'needsBody'> & {
  targetUrl: string
  signer: Signer
}

export type Attempt = {
  jti: string
  startedAt: number
  jwt: string
  outcome: Outcome
}

type Dependencies = { clock: Clock; door: Door }

/** An attempt whose request is handed over. */
type Begun = Omit<Attempt, 'outcome'> & { outcome: Promise<Outcome> }

/** The request of an attempt but for its body, the token (6.2, rule 1). */
export const toCall = ({ targetUrl, headers, ...limits }: Omit<Means, 'signer'>) => ({
  url: targetUrl,
  headers: [...headers, 'content-type', 'application/jwt'],
  ...limits,
})

/**
 * Sends once what was signed for it. Undefined, and nothing sent, when the key was looked up too long ago: it may have been
 * withdrawn since.
 */
export function beginAttempt(
  { jti, jwt }: { jti: string; jwt: string },
  { signer, ...means }: Means,
  { clock, door }: Dependencies,
): Begun | undefined {
  if (signer.goodForMs() <= 0) return undefined
  const startedAt = clock.now()
  return { jti, startedAt, jwt, outcome: door.post({ ...toCall(means), body: jwt }) }
}
