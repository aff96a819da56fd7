import type { FastifyInstance } from 'fastify'
import { createBuiltHelp, serveHelp } from '../ground/help/index.ts'
import { createEventStreams, type EventStreams } from '../ground/http/chain/event-streams.ts'
import type { Act, RecordChange } from '../ground/http/chain/recorded-change.ts'
import { type Health, serveHealth } from '../ground/http/health.ts'
import { type CallerLimit, createCallerLimit } from '../ground/http/socket/rate-limit.ts'
import { createAnswerOnce } from '../ground/idempotency/index.ts'
import { findNoticeableHolder } from '../ground/positions/index.ts'
import { createDirectoryAuthentication } from '../identity/directories/index.ts'
import { serveLogos } from '../identity/organizations/index.ts'
import { serveScim } from '../identity/scim/index.ts'
import { serveSignIn } from '../identity/sign-in/index.ts'
import { keepListed } from '../operator/installation/processes/index.ts'
import { createRegions, readLags, readReplicas } from '../operator/installation/regions/index.ts'
import { createVacuumReading } from '../operator/telemetry/index.ts'
import { startBackground } from './background.ts'
import { type Base, buildBase, type ServiceOptions } from './base.ts'
import { listOperations } from './operations.ts'
import { logOperators } from './operators.ts'
import { buildParts, type Parts } from './parts.ts'
import { createReadiness } from './readiness.ts'
import { createReload, type Reread } from './reload.ts'
import { listScimRoutes } from './scim-routes.ts'
import { buildConsole, buildShell } from './serving.ts'
import { shutDown } from './shutdown.ts'

export type Service = {
  app: FastifyInstance
  /** What it may have of the database, in one line. */
  connectionsLine: string
  /** Returns the address it listens on. */
  listen(): Promise<string>
  /** Takes what has changed, and gives one line that says it. */
  reload(reread: Reread): Promise<string>
  stop(): Promise<void>
}

/** Builds everything in one place, on a migrated database: each slice gets what it uses by name. */
export async function buildService(options: ServiceOptions): Promise<Service> {
  const base = await buildBase(options)
  await logOperators(base)
  const parts = buildParts(base)
  const { app, health, readiness, streams, regions } = await buildServer(base, parts)
  watch(base, parts, { health, streams })
  const background = [
    ...startBackground({ ...base, ...parts }),
    list(base, parts, streams),
    base.connections,
    parts.endedCredentials,
  ]
  const { config, database, workerDatabase, followDatabase } = base
  const databases = [database, workerDatabase, followDatabase, readiness]
  return {
    app,
    connectionsLine: base.connections.line,
    listen: async () => {
      const address = await app.listen({ host: config.host, port: config.port })
      // Starting the sender thread takes a quarter of a second of a core, for which a start need not wait.
      parts.delivery.start()
      return address
    },
    reload: createReload(base),
    stop: () => shutDown({ ...base, ...parts, app, health, regions, databases, background, drainMs: config.drainMs }),
  }
}

/** A worker without the API serves only its health. */
async function buildServer(base: Base, parts: Parts) {
  const { config, database, primary, clock, log } = base
  const { api } = config.roles
  const onUnreadable = (organization_id: string, err: unknown) =>
    log.error({ err, organization_id }, 'no signing key for an organization; its listeners wait')
  const operations = api ? listOperations({ ...base, ...parts, onUnreadable }) : []
  const anonymous = createCallerLimit(clock, config.rates.public)
  const streams = createEventStreams({ streams: config.eventStreams, listeners: config.listeners })
  const others = config.otherRegions
  const regions = others.length > 0 ? createRegions({ database, primary, others }) : undefined
  const { serve, ...fromConsole } = buildConsole(base, parts)
  const answerOnce = createAnswerOnce({ ...base, onKept: parts.answers.note })
  const shell = { operations, anonymous, streams, everywhere: regions?.everywhere, answerOnce, ...fromConsole }
  const app = await buildShell(base, shell)
  const { roles } = config
  const { claimsFailing } = parts.delivery
  const readiness = createReadiness({ primary, clock, open: database.read, roles, claimsFailing })
  const health = serveHealth(app, readiness.check, anonymous)
  if (api) parts.issuers.serve(app)
  if (api) serveSignIn(app, parts.signIn, parts.signInLimit)
  if (api) serve(app, anonymous)
  if (api) serveHelp(app, { built: createBuiltHelp(base.options.helpFolder), callers: anonymous })
  if (api) serveDirectories(app, { base, parts, anonymous, recordAs: fromConsole.recordAs })
  if (api) serveLogos(app, { database, callers: parts.signInLimit })
  return { app, health, readiness, streams, regions }
}

type ForDirectories = { base: Base; parts: Parts; anonymous: CallerLimit; recordAs: (act: Act) => RecordChange }

function serveDirectories(app: FastifyInstance, { base, parts, anonymous, recordAs }: ForDirectories) {
  const { database, clock, config } = base
  const { baseUrl, tiers, rates } = config
  const authenticate = createDirectoryAuthentication({ database, clock, tiers })
  const serving = { database, clock, baseUrl, authenticate, recordAs, rate: rates.scim, callers: anonymous }
  serveScim(app, listScimRoutes({ ...base, ...parts }), serving)
}

type Watched = { health: Health; streams: EventStreams }

function watch({ metrics, config, database, workerDatabase }: Base, { delivery }: Parts, { health, streams }: Watched) {
  metrics?.watchStreams(streams)
  metrics?.watchDelivery(delivery)
  metrics?.watchFeed(() => findNoticeableHolder(database.read))
  metrics?.watchReplication({
    readLags: () => readLags(database.read),
    readRegions: () => readReplicas(database.read, config.otherRegions),
  })
  metrics?.watchVacuum(createVacuumReading(database.read))
  metrics?.watchReadiness(health.isReady)
  metrics?.watchConnections({ requests: database.connections, delivery: workerDatabase.connections })
}

/** Tells the operator that this process lives. */
const list = ({ database, clock, processId, config, onError }: Base, { delivery }: Parts, streams: EventStreams) =>
  keepListed({
    database,
    clock,
    id: processId,
    region: config.region,
    roles: config.roles,
    onError,
    countInFlight: delivery.countInFlight,
    countStreams: streams.count,
  })
