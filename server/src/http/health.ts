import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors.ts'
import { beforeDeadline } from './consistency.ts'

/** Whoever asks has a deadline too, and a database that is frozen never answers. */
const checkTimeoutMs = 2_000

/** Gives what is wrong in a few words, or nothing. */
export type HealthCheck = () => Promise<string | undefined>

/**
 * `/livez`: the process answers. `/readyz`: every check passes, else 503 with what is wrong. Neither needs a key, and
 * neither tells more than the names of the checks and one line each.
 */
export function serveHealth(app: FastifyInstance, checks: Record<string, HealthCheck>) {
  app.get('/livez', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const results = await Promise.all(Object.entries(checks).map(runCheck))
    const isReady = results.every(([, result]) => result === 'ok')
    return reply
      .code(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not ready', checks: Object.fromEntries(results) })
  })
}

const runCheck = async ([name, check]: [string, HealthCheck]) => {
  const problem = await beforeDeadline(check(), checkTimeoutMs, unavailable, () => {}).catch(() => 'failed')
  return [name, problem ?? 'ok'] as const
}
