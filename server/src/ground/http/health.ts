import type { FastifyInstance } from 'fastify'
import { clientAddress } from './socket/client-address.ts'
import type { CallerLimit } from './socket/rate-limit.ts'

/** A result serves callers for so long, so that several load balancers cost no more than one. */
const sharedMs = 1_000

/** By name: `ok`, or a code from a closed list, with the SQLSTATE where there is one. */
type HealthChecks = Record<string, string>
/** `isReady`: whether the process can do what it is for. `notes`: what an operator should know though the service is ready. */
export type HealthResult = { isReady: boolean; checks: HealthChecks; notes: string[] }
/** Never rejects. */
export type HealthCheck = () => Promise<HealthResult>

/** After `startDraining`, `/readyz` reports that the service is about to stop. */
export type Health = { isReady(): Promise<boolean>; startDraining(): void }

/**
 * `/livez`: the process answers. `/readyz`: every check passes, otherwise 503. Neither needs a key, so neither shows a
 * server's own message.
 */
export function serveHealth(app: FastifyInstance, check: HealthCheck, callers: CallerLimit): Health {
  let isDraining = false
  const run = shared(check)
  app.get('/livez', async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', async (request, reply) => {
    callers.takeAddress(clientAddress(request))
    const result = await run()
    const { checks, notes } = result
    const status = isDraining ? 'draining' : result.isReady ? 'ready' : 'not ready'
    reply.code(status === 'ready' ? 200 : 503).header('cache-control', 'no-store')
    return reply.send({ status, checks, ...(notes.length > 0 && { notes }) })
  })
  return {
    isReady: async () => !isDraining && (await run()).isReady,
    startDraining: () => {
      isDraining = true
    },
  }
}

/** Callers that come while it runs, or within a second of its start, share its result. */
function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let latest: { result: Promise<Result>; until: number } | undefined
  return () => {
    if (latest && performance.now() < latest.until) return latest.result
    const startedAt = performance.now()
    const own = { result: work(), until: Number.POSITIVE_INFINITY }
    latest = own
    const expireSoon = () => {
      own.until = startedAt + sharedMs
    }
    own.result.then(expireSoon, expireSoon)
    return own.result
  }
}
