import type { FastifyInstance } from 'fastify'
import { buildApp } from '../ground/http/app.ts'
import { errorPageFor } from '../ground/http/pages/index.ts'
import type { CallerLimit } from '../ground/http/socket/rate-limit.ts'
import { createAddressSet } from '../ground/outbound/index.ts'
import { createRecorder } from '../identity/audit-log/index.ts'
import { createBuiltConsole, createSessions, serveConsole } from '../identity/console/index.ts'
import { serveInvitations } from '../identity/invitations/index.ts'
import { createAuthentication } from '../identity/organizations/index.ts'
import { scimErrorFor } from '../identity/scim/index.ts'
import type { Base } from './base.ts'
import type { Parts } from './parts.ts'
import { describeWebhookRequests } from './webhook-requests.ts'

/** `authentication` knows keys, and the sessions of the console that stand for them. */
export function buildConsole({ config, keyring, database, clock, options }: Base, { signIn, credentials }: Parts) {
  const { tiers, baseUrl, operatorGroup } = config
  const { isSecure, flowMs } = signIn
  const operatorKey = () => config.operatorKey
  const authentication = createAuthentication({ database, clock, operatorKey, operatorGroup, tiers })
  const sessions = createSessions({
    database,
    clock,
    keyring,
    operatorKey,
    operatorGroup,
    baseUrl,
    tiers,
    authentication,
  })
  const recordAs = createRecorder({ clock, keyring, operatorGroup })
  const built = createBuiltConsole(options.consoleFolder)
  const ofOperator = { operatorKey, operatorGroup }
  const parts = {
    ...ofOperator,
    sessions,
    authentication,
    recordAs,
    database,
    clock,
    built,
    baseUrl,
    isSecure,
    flowMs,
    credentials,
  }
  return {
    recordAs,
    authentication: { ...authentication, findSession: sessions.findSession },
    home: () => (built.exists() ? '/console' : '/docs'),
    serve: (app: FastifyInstance, callers: CallerLimit) => {
      serveConsole(app, { ...parts, callers })
      const { requireOpenedPage, hashIn: sessionHashIn } = sessions
      serveInvitations(app, { ...parts, callers, requireOpenedPage, sessionHashIn })
    },
  }
}

type Shell = Parameters<typeof buildApp>[0]
type ShellParts = Pick<
  Shell,
  'operations' | 'anonymous' | 'streams' | 'everywhere' | 'answerOnce' | 'authentication' | 'home' | 'recordAs'
>

export function buildShell({ config, log, metrics, tracer, clock }: Base, parts: ShellParts): Promise<FastifyInstance> {
  const { baseUrl, connections, sendTimeoutMs, isAccessLogged } = config
  return buildApp({
    ...parts,
    clock,
    baseUrl,
    log,
    tracer,
    isAccessLogged,
    errorPageFor: (refusal) => scimErrorFor(refusal) ?? errorPageFor(refusal),
    describeWebhookRequests,
    bounds: { connections: connections.total, connectionsOfAddress: connections.perAddress, sendTimeoutMs },
    isProxy: createAddressSet(config.trustedProxies),
    ...(metrics && { onAnswered: metrics.answered }),
  })
}
