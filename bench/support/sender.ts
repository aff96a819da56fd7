import { signJwt, toPayload } from '../../server/src/ground/keys/sign-jwt.ts'
import { importSigningKey, makeSigningKey } from '../../server/src/ground/keys/signing-key.ts'
import { createEgressClient } from '../../server/src/ground/outbound/egress-client.ts'
import { makeId } from '../../server/src/ground/runtime/identifiers.ts'

export type Receiving = {
  /** PEM. */
  authority: string
  /** Names that lead to a receiver, with its port. */
  resolve: [place: string, address: string][]
}

/** An event on its way to one webhook; `payload` is JSON text. */
export type Job = { eventId: string; organizationId: string; targetUrl: string; payload: string; timeoutMs?: number }

/**
 * What is the same for everybody: signing and posting, by the product's own functions and with its connections. Throws
 * when the receiver does not take it.
 */
export function openSender({ authority, resolve }: Receiving) {
  const egress = createEgressClient({
    resolve: new Map(resolve.map(([place, address]) => [place, [address]])),
    allowCidrs: [],
    maxConnections: 512,
    certificateAuthorities: [authority],
  })
  const key = importSigningKey(makeSigningKey().privateKey)
  return async (job: Job) => {
    const now = Date.now()
    const body = signJwt({ key, payload: toPayload(claimsOf(job, now), { trigger_content: job.payload }) })
    const headers = ['content-type', 'application/jwt']
    const outcome = await egress.post({
      url: job.targetUrl,
      keptFor: job.organizationId,
      headers,
      body,
      timeoutMs: job.timeoutMs ?? 10_000,
      keepBodyBytes: 1_024,
    })
    if (outcome.kind === 'failed' || outcome.status > 299) throw new Error(`not delivered: ${JSON.stringify(outcome)}`)
  }
}

function claimsOf({ eventId, organizationId, targetUrl }: Job, now: number) {
  const iat = Math.floor(now / 1_000)
  return {
    jti: makeId(now),
    aud: organizationId,
    sub: eventId,
    iss: 'http://localhost:8080',
    iat,
    exp: iat + 300,
    webhook_id: organizationId,
    target_url: targetUrl,
    trigger_type: 'event',
    trigger_name: benchEvent,
  }
}

/** The event that all of the benchmarks of delivery publish. */
export const benchEvent = 'PersonCreated_v1'
