import type { FastifyInstance } from 'fastify'
import { unavailable } from '../errors.ts'
import { beforeDeadline } from './consistency.ts'

/** Whoever asks has a deadline too, and a database that is frozen never answers. */
const checkTimeoutMs = 2_000
/** The same for all who ask within this time. */
const keptMs = 100

/** By name: `ok`, or one word from a closed list, with the SQLSTATE where there is one. */
export type HealthChecks = Record<string, string>
export type HealthCheck = () => Promise<HealthChecks>

/**
 * `/livez`: the process answers. `/readyz`: every check passes, else 503. Neither needs a key, so neither tells a server's own
 * message.
 */
export function serveHealth(app: FastifyInstance, check: HealthCheck) {
  const run = () =>
    beforeDeadline(check(), checkTimeoutMs, unavailable, () => {}).catch(() => ({ database: 'unreachable 08001' }))
  let kept: { checks: Promise<HealthChecks>; until: number } | undefined

  /** One run for all: those who ask while one is under way share it. */
  const sharedChecks = (): Promise<HealthChecks> => {
    if (kept && performance.now() < kept.until) return kept.checks
    const checks = run().finally(() => {
      if (kept?.checks === checks) kept.until = performance.now() + keptMs
    })
    kept = { checks, until: Number.POSITIVE_INFINITY }
    return checks
  }

  app.get('/livez', { schema: { hide: true } }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const checks = await sharedChecks()
    const isReady = Object.values(checks).every((result) => result === 'ok')
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready', checks })
  })
}
