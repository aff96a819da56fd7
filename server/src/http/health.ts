import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors.ts'
import { clientAddress } from './client-address.ts'
import { beforeDeadline } from './consistency.ts'
import type { CallerLimit } from './rate-limit.ts'

/** Whoever asks has a deadline too, and a database that is frozen never answers. */
const checkTimeoutMs = 2_000

const hidden = { schema: { hide: true } as object }

/** Gives what is wrong in a few words, or nothing. */
export type HealthCheck = () => Promise<string | undefined>

/** From `startDraining` on `/readyz` says that the service is about to stop. */
export type Health = { startDraining(): void }

/**
 * `/livez`: the process answers. `/readyz`: every check passes, else 503 with what is wrong. Neither needs a key, and
 * neither tells more than the names of the checks and one line each. Whoever asks while the checks run shares their result.
 */
export function serveHealth(app: FastifyInstance, checks: Record<string, HealthCheck>, callers: CallerLimit): Health {
  let isDraining = false
  const run = shared(() => Promise.all(Object.entries(checks).map(runCheck)))
  app.get('/livez', hidden, async (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get('/readyz', hidden, async (request, reply) => {
    callers.takeAddress(clientAddress(request))
    const results = await run()
    const isReady = results.every(([, result]) => result === 'ok')
    const status = isDraining ? 'draining' : isReady ? 'ready' : 'not ready'
    reply.code(status === 'ready' ? 200 : 503).header('cache-control', 'no-store')
    return reply.send({ status, checks: Object.fromEntries(results) })
  })
  return {
    startDraining: () => {
      isDraining = true
    },
  }
}

function shared<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  const end = () => {
    running = undefined
  }
  return () => {
    running ??= work().finally(end)
    return running
  }
}

const runCheck = async ([name, check]: [string, HealthCheck]) => {
  const problem = await beforeDeadline(check(), checkTimeoutMs, unavailable, () => {}).catch(() => 'failed')
  return [name, problem ?? 'ok'] as const
}
