import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodNotAllowed } from '../../ground/errors.ts'
import { clientAddress } from '../../ground/http/socket/client-address.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import { type CreateDependencies, createSession } from './create-session.ts'
import { deleteSession } from './delete-session.ts'
import { type GetDependencies, getSession, listSessions } from './get-session.ts'

const url = '/console/session'
const listUrl = '/console/sessions'
/** Two keys take a few hundred. */
const bodyLimit = 4_096

/** What signing in and out is called in the audit log. */
export const sessionActions = ['createConsoleSession', 'deleteConsoleSession']

export type SessionRoutes = CreateDependencies & GetDependencies & { callers: CallerLimit }

/** Another page could otherwise sign a browser in or out, or use up the attempts of its address. */
export function serveSession(app: FastifyInstance, dependencies: SessionRoutes) {
  // Refused attempts are counted in the database: whoever floods it with them is refused before.
  const onRequest = async (request: FastifyRequest) => dependencies.callers.takeAddress(clientAddress(request))
  app.register(async (routes) => {
    routes.addHook('onRequest', async ({ headers }: FastifyRequest, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store')
      dependencies.sessions.requireOpenedPage(headers)
    })
    routes.route({ method: 'POST', url, bodyLimit, onRequest, ...createSession(dependencies) })
    routes.route({ method: 'GET', url, handler: getSession(dependencies) })
    routes.route({ method: 'DELETE', url, handler: deleteSession(dependencies) })
    routes.route({ method: ['PATCH', 'PUT'], url, handler: refuseMethod(['DELETE', 'GET', 'POST']) })
    routes.route({ method: 'GET', url: listUrl, handler: listSessions(dependencies) })
    routes.route({ method: ['DELETE', 'PATCH', 'POST', 'PUT'], url: listUrl, handler: refuseMethod(['GET']) })
  })
}

const refuseMethod = (allowed: string[]) => () => {
  throw methodNotAllowed(allowed)
}
