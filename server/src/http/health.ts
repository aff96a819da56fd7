import type { FastifyInstance } from 'fastify'
import { clientAddress } from './client-address.ts'
import type { CallerLimit } from './rate-limit.ts'

/** Results are shared by callers within this time. */
const keptMs = 100

/** By name: `ok`, or one word from a closed list, with the SQLSTATE where there is one. */
export type HealthChecks = Record<string, string>
/** Never rejects. */
export type HealthCheck = () => Promise<HealthChecks>

/** From `startDraining` on `/readyz` says that the service is about to stop. */
export type Health = { startDraining(): void }

/**
 * `/livez`: the process answers. `/readyz`: every check passes, else 503. Neither needs a key, so neither tells a server's own
 * message.
 */
export function serveHealth(app: FastifyInstance, check: HealthCheck, callers: CallerLimit): Health {
  let isDraining = false
  const run = shared(check)
  app.get('/livez', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    callers.takeAddress(clientAddress(request))
    const checks = await run()
    const isReady = Object.values(checks).every((result) => result === 'ok')
    const status = isDraining ? 'draining' : isReady ? 'ready' : 'not ready'
    reply.code(status === 'ready' ? 200 : 503).header('cache-control', 'no-store')
    return reply.send({ status, checks })
  })
  return {
    startDraining: () => {
      isDraining = true
    },
  }
}

/** Who asks while it runs, or just after, gets the same result. */
function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let kept: { result: Promise<Result>; until: number } | undefined
  return () => {
    if (kept && performance.now() < kept.until) return kept.result
    const own = { result: work(), until: Number.POSITIVE_INFINITY }
    kept = own
    const keep = () => {
      own.until = performance.now() + keptMs
    }
    own.result.then(keep, keep)
    return own.result
  }
}
