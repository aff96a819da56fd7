import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Delivery } from '../delivery/queue/index.ts'
import type { Health } from '../ground/http/health.ts'

type Stoppable = { stop(): Promise<void> }

type Parts = {
  app: FastifyInstance
  health: Health
  drainMs: number
  background: Stoppable[]
  delivery: Delivery
  hooks: Stoppable
  signIn: Stoppable
  metrics: Stoppable | undefined
  tracing: Stoppable
  announcements: { stop(): void }
  databases: { close(): Promise<void> }[]
  regions: Stoppable | undefined
}

/** Requests in progress may take this long; then their connections are closed. */
const requestsMs = 3_000

/** The phases of a stop, in order, and how long each may take. */
const phases: { limitMs: number; run: (parts: Parts) => Promise<unknown> }[] = [
  // A delivery that is not released by then is taken back when its lease ends.
  { limitMs: 6_000, run: endWork },
  // A connection is closed by both sides, and a database that is unavailable does not do its part.
  { limitMs: 500, run: closeConnections },
  // What a collector does not take by then is lost.
  { limitMs: 2_000, run: ({ tracing }) => tracing.stop() },
]
/** How long a stop takes at most, without its drain and the embedded PostgreSQL. */
export const stopMs = phases.reduce((sum, { limitMs }) => sum + limitMs, 0)

export async function shutDown(parts: Parts) {
  parts.health.startDraining()
  if (parts.app.server.listening) await wait(parts.drainMs)
  for (const { limitMs, run } of phases) await Promise.race([run(parts), wait(limitMs, undefined, { ref: false })])
}

async function endWork({ app, background, delivery, hooks, signIn, metrics }: Parts) {
  // A request in progress may be waiting for a hook, or for an identity provider.
  const requests = closeServer(app).then(hooks.stop).then(signIn.stop)
  const works = [...[...background, delivery, metrics].map((part) => part?.stop()), requests]
  // Some of this work publishes events until it ends.
  await Promise.all([...works, Promise.allSettled(works).then(delivery.finish)])
}

/** Takes no new connection, closes idle ones, and lets requests in progress be answered. */
async function closeServer(app: FastifyInstance) {
  const timer = setTimeout(() => app.server.closeAllConnections(), requestsMs)
  await app.close()
  clearTimeout(timer)
}

async function closeConnections({ announcements, databases, regions }: Parts) {
  announcements.stop()
  await Promise.all([...databases.map((database) => database.close()), regions?.stop()])
}
